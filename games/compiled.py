"""Reads and inserts whose SQL is worked out once: for the few that every player causes.

Django takes several times longer to build a query and to write its SQL than to have it run. Here the SQL is Django's
own, written at the first use and kept; from then on only the values change. Fields, joins and conversions are the
models', so there is nothing to keep in step with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import connection
from django.db.models import Expression, Field, Model, QuerySet
from django.db.models.query import get_related_populators

from games.replicas.routing import reading_primary
from games.statements import Statement, run_in_order

_Found = TypeVar("_Found")
_Row = TypeVar("_Row", bound=Model)


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
    returned: list[Field[Any, Any]]


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

    With `pass_over` a row whose unique value is there already is left out, and no transaction fails by it.
    """

    def __init__(self, model: type[_Row], *, pass_over: bool = False) -> None:
        self._model = model
        self._pass_over = pass_over
        self._kept: dict[str, _Insert] = {}

    def add(self, row: _Row) -> bool:
        """Insert a row, which gets what the database gives it; returns whether it was made.

        :raises IntegrityError: as the database says; for a unique value that is taken only without `pass_over`.
        """
        insert = self._kept.get(connection.vendor)
        if insert is None:
            insert = self._kept[connection.vendor] = self._write()
        values = [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in insert.given]
        with reading_primary():  # what writes is never sent to a replica
            (made,) = run_in_order([(insert.sql, values)])
        if not made:
            return False
        for field, value in zip(insert.returned, made[0], strict=True):
            setattr(row, field.attname, field.to_python(value))
        row._state.adding, row._state.db = False, connection.alias  # noqa: SLF001 - as Django leaves what it saved
        return True

    def _write(self) -> _Insert:
        meta: Any = self._model._meta
        quoted = connection.ops.quote_name
        returned = [field for field in meta.local_concrete_fields if _is_made_there(field)]
        given = [field for field in meta.local_concrete_fields if field not in returned]
        returned = returned or [meta.pk]
        into = f"{quoted(meta.db_table)} ({', '.join(quoted(field.column) for field in given)})"
        unless = " ON CONFLICT DO NOTHING" if self._pass_over else ""
        back = ", ".join(quoted(field.column) for field in returned)
        marks = ", ".join(["%s"] * len(given))
        return _Insert(f"INSERT INTO {into} VALUES ({marks}){unless} RETURNING {back}", given, returned)  # noqa: S608


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
