/* Takes SIZE bytes of what glibc keeps for the thread-local variables of libraries that are loaded late. */
static __thread char taken[SIZE] __attribute__((tls_model("initial-exec"), aligned(8)));

char *statictls_taken(void)
{
    return taken;
}
