"""The command line."""

import click

from nearby.words import search


@click.command()
@click.option("--limit", default=5)
@click.argument("words", nargs=-1)
def main(limit, words):
    for word in words:
        click.echo(f"{word}: {', '.join(search(word)[:limit])}")
