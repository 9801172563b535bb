/* The records that a recorder has of threads: see record_list.h. */
#include "recorders/record_list.h"

static size_t place_of(const trc_context *context)
{
    return (uintptr_t)context >> 6 & (TRC_RECORD_PLACES - 1);
}

trc_record_base *trc_records_find(const trc_record_list *records, const trc_context *context)
{
    trc_record_base *record = records->places[place_of(context)];
    while (record != NULL && record->context != context) {
        record = record->next_in_place;
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

static void leave_place(trc_record_list *records, const trc_record_base *record)
{
    trc_record_base **at = &records->places[place_of(record->context)];
    while (*at != NULL && *at != record) {
        at = &(*at)->next_in_place;
    }
    if (*at != NULL) {
        *at = record->next_in_place;
    }
}

void trc_record_set_context(trc_record_list *records, trc_record_base *record, trc_context *context)
{
    trc_context_share(context);
    if (record->context != NULL) {
        leave_place(records, record);
        trc_context_drop(record->context);
    }
    record->context = context;
    record->state_id = context->state_id;
    record->next_in_place = records->places[place_of(context)];
    records->places[place_of(context)] = record;
}

void trc_record_drop_context(trc_record_base *record)
{
    if (record->context != NULL) {
        trc_context_drop(record->context);
    }
    record->context = NULL;
}
