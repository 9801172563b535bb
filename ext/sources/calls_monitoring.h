/* What the back end for sys.monitoring does for the one for PyEval_SetProfile, too: both are told by way of the same
 * instructions in the code, from 3.12 on. */
#ifndef TRC_MONITORING_H
#define TRC_MONITORING_H

#include "sources/backend.h"

#if TRC_HAS_MONITORING
/* The `reach` of both: see backend.h. */
bool trc_monitoring_reach(trc_dispatcher *dispatcher, const trc_running *running);
#endif

#endif
