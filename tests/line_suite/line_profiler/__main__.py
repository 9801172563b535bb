from tracer.compat.line_profiler import main

main()
