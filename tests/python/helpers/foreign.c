/* A thread that calls a function some times and is in C in between, so that it has no thread state of Python's there:
 * see foreign.py. */
struct foreign_calls {
    void (*function)(void);
    long times;
};

/* What pthread_create() is to start, with those calls. */
void *foreign_run(void *calls)
{
    const struct foreign_calls *todo = calls;
    for (long i = 0; i < todo->times; i++) {
        todo->function();
    }
    return 0;
}
