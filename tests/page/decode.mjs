// Prints what container.js reads in a container, for the tests of what writes it: the header, with
// each block as the list of its numbers. node decode.mjs FILE

import { readFileSync } from "node:fs";

import { unpackText } from "../../python/tracer/page/container.js";

const container = await unpackText(readFileSync(process.argv[2]).toString("base64"));
const isBlock = (value) => value !== null && typeof value === "object" && "planes" in value;
const shown = JSON.stringify(container.header, (_, value) => (isBlock(value) ? [...container.floats(value)] : value));
process.stdout.write(shown);
