from nearby.command import main

main()
