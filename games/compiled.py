"""Reads and inserts whose SQL is worked out once: for the few that every player causes.

Django takes several times longer to build a query and to write its SQL than to have it run. Here the SQL is Django's
own, written at the first use and kept; from then on only the values change. Fields, joins and conversions are the
models', so there is nothing to keep in step with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, Generic, NamedTuple, TypeVar

from django.db import connection, transaction
from django.db.models import (
    BigAutoField,
    BigIntegerField,
    BooleanField,
    CharField,
    Expression,
    Field,
    ForeignKey,
    Model,
    PositiveIntegerField,
    PositiveSmallIntegerField,
    QuerySet,
)
from django.db.models.query import get_related_populators

from games.replicas.routing import reading_primary
from games.statements import Statement, run_in_order

_Found = TypeVar("_Found")
_Row = TypeVar("_Row", bound=Model)

#: Fields of Django's own that store values of a type as they are.
_PLAIN: Final[dict[type, type]] = {
    BigAutoField: int,
    BigIntegerField: int,
    BooleanField: bool,
    CharField: str,
    ForeignKey: int,
    PositiveIntegerField: int,
    PositiveSmallIntegerField: int,
}


class Given(Expression):
    """In the query of a `Compiled`: a value that is given by its name each time, of a field's type."""

    def __init__(self, name: str, field: Field[Any, Any]) -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, *_: Any) -> tuple[str, Any]:  # noqa: ANN401
        """A mark for the value, which is not known yet."""
        return "%s", [self]


class _Read(NamedTuple):
    """What is kept of a query for one kind of database."""

    sql: str
    params: Sequence[Any]
    """Constants, and `Given` for what is not one."""
    objects: Callable[[Sequence[tuple[Any, ...]]], Iterator[Any]]


class _Insert(NamedTuple):
    """What is kept of a model for one kind of database."""

    sql: str
    given: list[Field[Any, Any]]
    plain: list[type | None]
    """The types of Python whose values a given field stores as they are."""
    returned: list[Field[Any, Any]]


class Insertion(NamedTuple):
    """A row to be inserted, and how."""

    how: Inserting[Any]
    row: Model


class Compiled(Generic[_Found]):
    """A query, run where is read just now: of rows of a model, with what it joins by `select_related` and without what
    it defers, or of tuples of fields by `values_list`.
    """

    def __init__(self, query: Callable[[], QuerySet[Any, _Found]]) -> None:
        self._query = query
        self._kept: dict[str, _Read] = {}

    def all(self, **given: object) -> list[_Found]:
        """What is found for these values."""
        (found,) = run_in_order([self.statement(**given)])
        return self.rows(found)

    def first(self, **given: object) -> _Found | None:
        """The first that is found for these values, if there is one."""
        return next(iter(self.all(**given)), None)

    def statement(self, **given: object) -> Statement:
        """The SQL with these values, to be run with others."""
        kept = self._read()
        return kept.sql, [_put(param, given) if isinstance(param, Given) else param for param in kept.params]

    def rows(self, found: Sequence[tuple[Any, ...]]) -> list[_Found]:
        """The objects or tuples made of what the statement has found."""
        return list(self._read().objects(found))

    def _read(self) -> _Read:
        kept = self._kept.get(connection.vendor)
        if kept is None:
            kept = self._kept[connection.vendor] = _compiled(self._query())
        return kept


class Inserting(Generic[_Row]):
    """Inserts new rows of a model, as `save(force_insert=True)` would, but for signals: nobody here listens for any.

    With `pass_over` a row whose unique value is there already is left out, and no transaction fails by it. With
    `numbered` the rows bring their numbers (`games.reserved_ids`). `found_by` names a relation and a unique field of
    what it leads to, as in "attempt.public_id": by that the database finds what may just have been inserted, and makes
    no row where there is none.
    """

    def __init__(
        self, model: type[_Row], *, pass_over: bool = False, numbered: bool = False, found_by: str = ""
    ) -> None:
        self._model = model
        self._pass_over = pass_over
        self._numbered = numbered
        self._relation, _, self._unique = found_by.partition(".")
        self._kept: dict[str, _Insert] = {}

    def add(self, row: _Row) -> bool:
        """Insert a row, which gets what the database gives it; returns whether it was made.

        :raises IntegrityError: as the database says; for a unique value that is taken only without `pass_over`.
        """
        (made,) = insert_in_order([Insertion(self, row)])
        return made

    def statement(self, row: _Row) -> Statement:
        """The SQL that inserts a row."""
        insert = self._insert()
        values = [_stored(field, plain, row) for field, plain in zip(insert.given, insert.plain, strict=True)]
        if self._relation:
            there = getattr(row, self._relation)
            unique = there._meta.get_field(self._unique)
            values.append(unique.get_db_prep_save(getattr(there, self._unique), connection))
        return insert.sql, values

    def take(self, row: _Row, made: Sequence[tuple[Any, ...]]) -> bool:
        """Give a row what the database has given it; returns whether it was made."""
        if not made:
            return False
        for field, value in zip(self._insert().returned, made[0], strict=True):
            setattr(row, field.attname, field.to_python(value))
        if self._relation:
            setattr(row, self._relation, getattr(row, self._relation))  # which has its number now
        row._state.adding, row._state.db = False, connection.alias  # noqa: SLF001 - as Django leaves what it saved
        return True

    def _insert(self) -> _Insert:
        insert = self._kept.get(connection.vendor)
        if insert is None:
            insert = self._kept[connection.vendor] = self._write()
        return insert

    def _write(self) -> _Insert:
        meta: Any = self._model._meta
        quoted = connection.ops.quote_name
        fields = meta.local_concrete_fields
        returned = [field for field in fields if _is_made_there(field) and not (self._numbered and field.primary_key)]
        relation = [field for field in fields if field.name == self._relation]
        given = [field for field in fields if field not in (*returned, *relation)]
        returned = returned or [meta.pk]
        into = ", ".join(quoted(field.column) for field in (*given, *relation))
        marks = ", ".join(["%s"] * len(given))
        values = self._found(relation[0], marks) if relation else f"VALUES ({marks})"
        unless = " ON CONFLICT DO NOTHING" if self._pass_over else ""
        back = ", ".join(quoted(field.column) for field in returned)
        sql = f"INSERT INTO {quoted(meta.db_table)} ({into}) {values}{unless} RETURNING {back}"
        return _Insert(sql, given, [_PLAIN.get(type(field)) for field in given], returned)

    def _found(self, relation: Any, marks: str) -> str:  # noqa: ANN401 - Django's field
        """The values given, and the number of what the relation leads to."""
        quoted = connection.ops.quote_name
        there = relation.related_model._meta
        number, unique = quoted(there.pk.column), quoted(there.get_field(self._unique).column)
        return f"SELECT {marks}, {number} FROM {quoted(there.db_table)} WHERE {unique} = %s"  # noqa: S608


def insert_in_order(insertions: Sequence[Insertion]) -> list[bool]:
    """Insert rows in order, as one commit and if possible in one exchange; returns which were made.

    :raises IntegrityError: as `Inserting.add` does; then none is made.
    """
    with reading_primary(), _one_commit():  # what writes is never sent to a replica
        made = run_in_order([how.statement(row) for how, row in insertions])
        return [how.take(row, found) for (how, row), found in zip(insertions, made, strict=True)]


def _one_commit() -> AbstractContextManager[Any]:
    """Statements that PostgreSQL gets at once are one commit by themselves."""
    return nullcontext() if connection.vendor == "postgresql" else transaction.atomic()


def _stored(field: Field[Any, Any], plain: type | None, row: Model) -> object:
    """A field's value as the database takes it: most are plain, and Django takes longest to find that out."""
    value = field.pre_save(row, add=True)
    return value if type(value) is plain else field.get_db_prep_save(value, connection)


def _is_made_there(field: Field[Any, Any]) -> bool:
    """Whether the database alone gives the value: the next number, or a default of its own."""
    return field.generated or (field.db_returning and not field.has_default())


def _compiled(query: QuerySet[Any]) -> _Read:
    compiler = query.query.get_compiler(connection=connection)
    sql, params = compiler.as_sql()
    converters = compiler.get_converters([column[0] for column in compiler.select])
    info = compiler.klass_info
    if getattr(query, "_fields", None) is not None:  # of values_list
        return _Read(sql, params, lambda found: map(tuple, _converted(compiler, found, converters)))
    begin, end = info["select_fields"][0], info["select_fields"][-1] + 1
    names = [column[0].target.attname for column in compiler.select[begin:end]]
    populators = get_related_populators(info, compiler.select, connection.alias)  # type: ignore[call-arg] # as Django 5.2 has it

    def objects(found: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        for row in _converted(compiler, found, converters):
            made = query.model.from_db(connection.alias, names, row[begin:end])
            for populator in populators:
                populator.populate(row, made)
            yield made

    return _Read(sql, params, objects)


def _converted(compiler: Any, found: Sequence[tuple[Any, ...]], converters: Any) -> Iterable[Sequence[Any]]:  # noqa: ANN401 - Django's
    rows: Iterable[Sequence[Any]] = compiler.apply_converters(found, converters) if converters else found
    return rows


def _put(place: Given, given: dict[str, object]) -> object:
    return place.output_field.get_db_prep_value(given[place.name], connection)
