# function: fetch
# share: 96
"""Four threads of a pool ask a slow server, each one question after the other."""

import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SERVER = """
import socket, threading, time

def answer(client):
    with client:
        question = client.recv(100)
        time.sleep(0.05)
        client.sendall(question * 2)

with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=answer, args=server.accept()[:1], daemon=True).start()
"""


def fetch(number):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"question {number:03}".encode())
        answer = b""
        while part := connection.recv(100):
            answer += part
    return len(answer)


with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as child:
    port = int(child.stdout.readline())
    with ThreadPoolExecutor(4) as pool:
        print(sum(pool.map(fetch, range(360))))
    child.kill()
