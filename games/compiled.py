"""Compiled queries and inserts: SQL that Django generates once and the process caches, for the hottest statements.

Django takes several times longer to build a query and its SQL than the database takes to run it. Here Django generates
the SQL on first use; later calls only bind new values. Fields, joins and conversions come from the models, so nothing
needs to be kept in sync with them.
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

#: Django's field types that store values of a Python type unchanged.
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
    """Named parameter in the query of a `Compiled`, with the type of a field."""

    def __init__(self, name: str, field: Field[Any, Any]) -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, *_: Any) -> tuple[str, Any]:  # noqa: ANN401
        """Return a placeholder, with the parameter itself in place of its value."""
        return "%s", [self]


class _Read(NamedTuple):
    """Compiled form of a query for one database vendor."""

    sql: str
    params: Sequence[Any]
    """Constants, and a `Given` for each named parameter."""
    objects: Callable[[Sequence[tuple[Any, ...]]], Iterator[Any]]


class _Insert(NamedTuple):
    """Compiled insert of a model for one database vendor."""

    sql: str
    given: list[Field[Any, Any]]
    plain: list[type | None]
    """For each field in `given`, the Python type whose values it stores unchanged, or None."""
    returned: list[Field[Any, Any]]


class Insertion(NamedTuple):
    """A row to insert, and the compiled insert to use."""

    how: Inserting[Any]
    row: Model


class Compiled(Generic[_Found]):
    """Query compiled once per database vendor and run on the current read connection, replica or primary.

    It returns model instances (`select_related` and `defer` are supported) or tuples from `values_list`.
    """

    def __init__(self, query: Callable[[], QuerySet[Any, _Found]]) -> None:
        self._query = query
        self._kept: dict[str, _Read] = {}

    def all(self, **given: object) -> list[_Found]:
        """Run the query with these values and return all results."""
        (found,) = run_in_order([self.statement(**given)])
        return self.rows(found)

    def first(self, **given: object) -> _Found | None:
        """Run the query with these values and return the first result, or None."""
        return next(iter(self.all(**given)), None)

    def statement(self, **given: object) -> Statement:
        """Return the SQL with these values bound, to be run together with other statements."""
        kept = self._read()
        return kept.sql, [_put(param, given) if isinstance(param, Given) else param for param in kept.params]

    def rows(self, found: Sequence[tuple[Any, ...]]) -> list[_Found]:
        """Convert the rows that the statement returned to objects or tuples."""
        return list(self._read().objects(found))

    def _read(self) -> _Read:
        kept = self._kept.get(connection.vendor)
        if kept is None:
            kept = self._kept[connection.vendor] = _compiled(self._query())
        return kept


class Inserting(Generic[_Row]):
    """Compiled insert for a model, equivalent to `save(force_insert=True)` but without signals, which have no receivers
    here.

    With `pass_over`, a row that violates a unique constraint is skipped (`ON CONFLICT DO NOTHING`) and the transaction
    survives. With `numbered`, rows come with primary keys from `games.reserved_ids`. `found_by` names a relation and a
    unique field of the related model, as in "attempt.public_id": the database looks up the related row by that field,
    even if it was inserted just before, and inserts nothing if there is none.
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
        """Insert a row, fill in the values that the database generates, and return True if it was inserted.

        :raises IntegrityError: when a constraint is violated; for unique constraints only without `pass_over`.
        """
        (made,) = insert_in_order([Insertion(self, row)])
        return made

    def statement(self, row: _Row) -> Statement:
        """Return the SQL that inserts a row."""
        insert = self._insert()
        values = [_stored(field, plain, row) for field, plain in zip(insert.given, insert.plain, strict=True)]
        if self._relation:
            there = getattr(row, self._relation)
            unique = there._meta.get_field(self._unique)
            values.append(unique.get_db_prep_save(getattr(there, self._unique), connection))
        return insert.sql, values

    def take(self, row: _Row, made: Sequence[tuple[Any, ...]]) -> bool:
        """Fill in the values that the database returned for a row; return True if it was inserted."""
        if not made:
            return False
        for field, value in zip(self._insert().returned, made[0], strict=True):
            setattr(row, field.attname, field.to_python(value))
        if self._relation:
            setattr(row, self._relation, getattr(row, self._relation))  # takes over its primary key
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
        """Return a SELECT of the given values and the related row's primary key."""
        quoted = connection.ops.quote_name
        there = relation.related_model._meta
        number, unique = quoted(there.pk.column), quoted(there.get_field(self._unique).column)
        return f"SELECT {marks}, {number} FROM {quoted(there.db_table)} WHERE {unique} = %s"  # noqa: S608


def insert_in_order(insertions: Sequence[Insertion]) -> list[bool]:
    """Insert rows in order, in one commit and if possible in one round trip; return a flag for each, True if inserted.

    :raises IntegrityError: as `Inserting.add` does; then nothing is inserted.
    """
    with reading_primary(), _one_commit():  # writes never go to a replica
        made = run_in_order([how.statement(row) for how, row in insertions])
        return [how.take(row, found) for (how, row), found in zip(insertions, made, strict=True)]


def _one_commit() -> AbstractContextManager[Any]:
    """Return a transaction, except on PostgreSQL, where statements sent together are one transaction anyway."""
    return nullcontext() if connection.vendor == "postgresql" else transaction.atomic()


def _stored(field: Field[Any, Any], plain: type | None, row: Model) -> object:
    """Return a field's value in database form; most need no conversion, and this check is faster than Django's."""
    value = field.pre_save(row, add=True)
    return value if type(value) is plain else field.get_db_prep_save(value, connection)


def _is_made_there(field: Field[Any, Any]) -> bool:
    """Return True if the database generates the value: a sequence number, a generated column or a database default."""
    return field.generated or (field.db_returning and not field.has_default())


def _compiled(query: QuerySet[Any]) -> _Read:
    compiler = query.query.get_compiler(connection=connection)
    sql, params = compiler.as_sql()
    converters = compiler.get_converters([column[0] for column in compiler.select])
    info = compiler.klass_info
    if getattr(query, "_fields", None) is not None:  # from values_list
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
