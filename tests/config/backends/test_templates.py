"""Template optimization: constant parts are rendered once per language, parts that depend on the request never."""

from __future__ import annotations

from threading import Thread
from typing import Any

import pytest
from django.template import Context, Engine, Template, engines
from django.template.base import TextNode, VariableNode
from django.template.loader import get_template
from django.template.loader_tags import BlockNode
from django.utils import translation

from config.backends import templates
from config.backends.templates import Loader, settle


def made(text: str) -> Template:
    template = Template("{% load i18n static %}" + text)
    settle(template)
    return template


@pytest.mark.parametrize(
    "text",
    [
        '<p>{% translate "Rules" %}</p> {% url "games:practice" %}',
        '<img src="{% static "img/talon.svg" %}">{# a remark #}',
        "{% blocktranslate trimmed %}<b>Up</b> counts the cards on the foundations{% endblocktranslate %}",
    ],
)
def test_constant_parts_become_one_text(text: str) -> None:
    template = made(text)
    assert [type(node) for node in template.nodelist] == [TextNode]
    assert template.render(Context()) == Template("{% load i18n static %}" + text).render(Context())


def test_indentation_is_not_sent() -> None:
    assert made("<ul>\n    <li>a b</li>\n\n  </ul>").render(Context()) == "<ul>\n<li>a b</li>\n</ul>"


@pytest.mark.parametrize(
    "text",
    [
        "{% translate word %}",
        '{% translate "Rules" as word %}{{ word }}',
        '{% translate "Rules"|upper %}',
        "{% blocktranslate %}Race {{ number }}{% endblocktranslate %}",
        '{% url "games:rules" game %}',
        '{% url "games:practice" as there %}{{ there }}',
        "{% if number %}{% static path %}{% endif %}",
    ],
)
def test_parts_that_depend_on_the_request_stay(text: str) -> None:
    context = {"word": "Rules", "number": 3, "game": "braid", "path": "img/talon.svg"}
    template = made(text)
    assert any(not isinstance(node, TextNode) for node in template.nodelist)
    assert template.render(Context(context)) == Template("{% load i18n static %}" + text).render(Context(context))


def test_branches_and_blocks_are_resolved_too() -> None:
    template = made(
        '{% if a %}{% translate "Rules" %}{% else %}{% block b %}{% url "games:home" %}{% endblock %}{% endif %}'
    )
    (condition,) = template.nodelist
    ((_, first), (_, second)) = condition.conditions_nodelists  # type: ignore[attr-defined]
    assert isinstance(first[0], TextNode)
    assert isinstance(second[0].nodelist[0], TextNode)


def test_an_error_is_raised_where_it_is_rendered() -> None:
    template = made('{% if a %}{% url "no:such" %}{% endif %}')
    assert template.render(Context()) == ""
    with pytest.raises(Exception, match="no"):
        template.render(Context({"a": 1}))


def test_each_language_has_its_own() -> None:
    with translation.override("de"):
        german = get_template("500.html").render({"number": 500})
    english = get_template("500.html").render({"number": 500})
    assert german != english
    with translation.override("de"):
        assert get_template("500.html").render({"number": 500}) == german


def test_the_site_loads_its_templates_this_way() -> None:
    engine: Engine = engines["django"].engine  # type: ignore[attr-defined]
    assert [type(loader) for loader in engine.template_loaders] == [Loader]


def test_no_thread_gets_a_half_optimized_template(monkeypatch: pytest.MonkeyPatch) -> None:
    engine: Engine = engines["django"].engine  # type: ignore[attr-defined]
    loader = Loader(engine, ["django.template.loaders.filesystem.Loader"])
    settled: list[Template] = []
    seen: list[bool] = []

    def ask() -> None:
        with translation.override("en-gb"):
            template = loader.get_template("500.html")
        seen.append(template in settled)

    def settle_slowly(template: Template) -> None:
        other.start()
        other.join(0.2)  # without a lock it would have its template by now; with one it waits
        settled.append(template)

    other = Thread(target=ask)
    monkeypatch.setattr(templates, "settle", settle_slowly)
    ask()
    other.join(30)
    assert seen == [True, True]


def test_the_blocks_of_a_page_are_looked_up_once() -> None:
    template = made("{% block a %}{% block b %}{{ b }}{% endblock %}{% endblock %}{{ c }}")
    blocks: list[Any] = template.nodelist.get_nodes_by_type(BlockNode)
    assert [block.name for block in blocks] == ["a", "b"]
    assert template.nodelist.get_nodes_by_type(BlockNode) is blocks
    assert len(template.nodelist.get_nodes_by_type(VariableNode)) == 2
    assert template.render(Context({"b": 1, "c": 2})) == "12"
