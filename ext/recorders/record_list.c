/* The records that a recorder has of threads: see record_list.h. */
#include "recorders/record_list.h"

trc_record_base *trc_records_find(const trc_record_list *records, const trc_context *context)
{
    trc_record_base *record = records->first;
    while (record != NULL && record->context != context) {
        record = record->next;
    }
    return record;
}

trc_record_base *trc_records_find_over(const trc_record_list *records)
{
    trc_record_base *record = records->count < TRC_THREAD_LIMIT ? NULL : records->first;
    while (record != NULL && !trc_context_is_over(record->context)) {
        record = record->next;
    }
    return record;
}

void trc_records_add(trc_record_list *records, trc_record_base *record)
{
    record->next = records->first;
    records->first = record;
    records->count++;
}

void trc_record_set_context(trc_record_base *record, trc_context *context)
{
    trc_context *before = record->context;
    record->context = context == NULL ? NULL : trc_context_share(context);
    record->state_id = context == NULL ? 0 : context->state_id;
    if (before != NULL) {
        trc_context_drop(before);
    }
}
