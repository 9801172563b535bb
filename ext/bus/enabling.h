/* Enables and disables recorders: a source is started when the first recorder that uses it is enabled, and stopped with
 * the last of them. */
#ifndef TRC_ENABLING_H
#define TRC_ENABLING_H

#include "bus/bus.h"

/* Initializes the zeroed bus of an object. 0, or -1 with an exception set: the bus must be cleared then, too. */
int trc_bus_init(trc_bus *bus, PyObject *object, PyTypeObject *callback_type, PyObject *module);
int trc_bus_traverse(const trc_bus *bus, visitproc visit, void *arg);
void trc_bus_clear(trc_bus *bus);

/* Enables and disables a recorder. enable returns 0, or -1 with an exception set and the recorder as it was. If a recorder
 * of calls is enabled already, enable unmutes the calling thread. With `here`, the frames that the calling thread runs
 * already are recorded too; the frames of other threads always are. disable raises nothing, and does nothing to a
 * disabled recorder. */
int trc_bus_enable(trc_bus *bus, trc_recorder *recorder, bool here);
int trc_bus_enable_lines(trc_bus *bus, trc_line_recorder *recorder);
void trc_bus_disable(trc_bus *bus, trc_recording *recording);

/* Stops recording, but enabling it again takes next to no time where the source can do that. */
void trc_bus_rest_lines(trc_bus *bus, trc_line_recorder *recorder);

/* The bus's object is called: the program has made it the calling thread's profile or trace function, by
 * sys.setprofile(sys.getprofile()) or sys.settrace(sys.gettrace()). The real function takes its place. */
void trc_bus_reinstall(trc_bus *bus, PyObject *args);

#endif
