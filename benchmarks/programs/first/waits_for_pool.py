# function: score
# share: 95
"""The main thread takes results of a pool, whose two threads compute by turns."""

from multiprocessing.pool import ThreadPool


def score(text):
    counts = [0.0] * 64
    for word in text.split():
        counts[hash(word) % 64] += 1
    return max(counts)


def main():
    base = [" ".join(f"w{number * k % 301}" for k in range(60)) for number in range(100)]
    texts = base * 800
    with ThreadPool(2) as pool:
        print(max(pool.imap(score, texts, chunksize=50)))


main()
