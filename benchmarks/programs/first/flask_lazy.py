# function: listing
# share: 69
# caller: books
# words: 8,?0[08]0|\b10[01]\b
"""A Flask view that lists a hundred books. The author of each is a query of its own."""

import functools

from flask import Flask
from sqlalchemy import ForeignKey, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
from sqlalchemy.pool import StaticPool

app = Flask(__name__)
engine = create_engine("sqlite://", poolclass=StaticPool)


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


class Book(Base):
    __tablename__ = "book"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    author_id: Mapped[int] = mapped_column(ForeignKey("author.id"))
    author: Mapped[Author] = relationship()


def login_required(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@app.route("/books")
@login_required
def books():
    with Session(engine) as session:
        return listing(session)


def listing(session):
    rows = session.scalars(select(Book).order_by(Book.title))
    return "\n".join(f"{row.title}, by {row.author.name}" for row in rows.all())


def fill():
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        for number in range(100):
            author = Author(name=f"author {number}")
            session.add(Book(title=f"book {number}", author=author))
        session.commit()


def visit(client, times):
    return sum(len(client.get("/books").text) for _ in range(times))


fill()
print(visit(app.test_client(), 80))
