/* Enables and disables recorders: a source is started when the first recorder that uses it is enabled, and stopped with
 * the last of them. */
#ifndef TRC_ENABLING_H
#define TRC_ENABLING_H

#include "dispatch/dispatcher.h"

/* Initializes the zeroed dispatcher of an object. 0, or -1 with an exception set: the dispatcher must be cleared then, too. */
int trc_dispatcher_init(trc_dispatcher *dispatcher, PyObject *object, PyTypeObject *callback_type, PyObject *module);
int trc_dispatcher_traverse(const trc_dispatcher *dispatcher, visitproc visit, void *arg);
void trc_dispatcher_clear(trc_dispatcher *dispatcher);

/* Enables and disables a recorder. enable returns 0, or -1 with an exception set and the recorder as it was. If a recorder
 * of calls is enabled already, enable unmutes the calling thread. With `here`, the frames that the calling thread runs
 * already are recorded too; the frames of other threads always are. disable raises nothing, and does nothing to a
 * disabled recorder. */
int trc_dispatch_enable(trc_dispatcher *dispatcher, trc_recorder *recorder, bool here);
int trc_dispatch_enable_lines(trc_dispatcher *dispatcher, trc_line_recorder *recorder);
void trc_dispatch_disable(trc_dispatcher *dispatcher, trc_recording *recording);

/* Stops recording, but enabling it again takes next to no time where the source can do that. */
void trc_dispatch_rest_lines(trc_dispatcher *dispatcher, trc_line_recorder *recorder);

/* The dispatcher's object is called: the program has made it the calling thread's profile or trace function, by
 * sys.setprofile(sys.getprofile()) or sys.settrace(sys.gettrace()). The real function takes its place. */
void trc_dispatch_reinstall(trc_dispatcher *dispatcher, PyObject *args);

#endif
