"""A server with a thread for each connection, and threads that ask it: short threads, which wait
for sockets and for each other."""

import socket
import threading


def answer(connection):
    with connection, connection.makefile("rwb") as stream:
        for line in stream:
            stream.write(b"%d\n" % sum(value_of(word) for word in line.split()))
            stream.flush()


def value_of(word):
    number = int(word)
    return number * number % 97


def ask(port, times):
    words = b" ".join(b"%d" % number for number in range(60))
    with socket.create_connection(("127.0.0.1", port)) as connection:
        stream = connection.makefile("rwb")
        total = 0
        for _ in range(times):
            stream.write(words + b"\n")
            stream.flush()
            total += int(stream.readline())
        stream.close()
    return total


def serve(server, connections):
    for _ in range(connections):
        threading.Thread(target=answer, args=(server.accept()[0],)).start()


def run(clients, times):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        threads = [threading.Thread(target=serve, args=(server, clients))]
        threads += [threading.Thread(target=ask, args=(port, times)) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    run(16, 500)
