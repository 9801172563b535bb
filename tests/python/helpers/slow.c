/* Compiled by sampled.py: slow_sum() takes all the CPU time, in lines that are known. */
#include <stddef.h>

static double scaled(double value)
{
    return value * 1.0001;
}

double slow_sum(const double *values, size_t count, int rounds)
{
    double total = 0;
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            total += scaled(values[i]);
        }
    }
    return total;
}

double slow_outer(const double *values, size_t count, int rounds)
{
    double first = slow_sum(values, count, rounds);
    return first + 1;
}
