"""Template fragment cache: fragments are shared only by equal arguments, and contain nothing personal."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.utils import translation
from django.utils.safestring import mark_safe

from games.templatetags import kept
from games.templatetags.kept import KeptNode


def page(inside: str, values: str = "") -> Template:
    return Template(f"{{% load i18n kept %}}{{% kept {values} %}}{inside}{{% endkept %}}")


def shown(template: Template, **context: Any) -> str:
    return str(template.render(Context(context)))


def test_it_renders_once_per_set_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[object] = []
    alone = kept._alone

    def counted(context: Context, values: dict[str, object]) -> Context:
        rendered.append(values)
        return alone(context, values)

    monkeypatch.setattr(kept, "_alone", counted)
    template = page('{{ day|date:"Y-m-d" }} {{ title }}{% if on %}!{% endif %}', "title=deal.title day=day on=on")
    one: dict[str, Any] = {"deal": {"title": "Braid"}, "day": date(2026, 5, 17), "on": True}
    for _ in range(3):
        assert shown(template, **one) == "2026-05-17 Braid!"
        assert shown(template, **one | {"on": False}) == "2026-05-17 Braid"
        assert shown(template, **one | {"deal": {"title": "Tarot"}}) == "2026-05-17 Tarot!"
        assert shown(template, **one | {"day": None}) == " Braid!"
    assert len(rendered) == 4


def test_other_variables_are_invisible_inside() -> None:
    template = page("{{ user }}{{ request }}{{ csrf_token }}{{ title }}", "title=title")
    assert shown(template, user="Ada", request="GET", csrf_token="secret", title="Braid") == "Braid"


def test_variables_set_inside_stay_inside() -> None:
    template = Template("{% load kept %}{% kept a=1 %}{% with a=2 %}{{ a }}{% endwith %}{% endkept %}{{ a }}")
    assert shown(template, a=3) == "23"


def test_equal_values_of_different_types_are_separate() -> None:
    template = page("{{ text }}", "text=text")
    assert shown(template, text=mark_safe("<b>")) == "<b>"
    assert shown(template, text="<b>") == "&lt;b&gt;"
    assert [shown(template, text=value) for value in (True, 1, "1", None, "")] == ["True", "1", "1", "None", ""]


@pytest.mark.parametrize("value", [object(), ["x"], ("x",), {}, 1.0])
def test_only_plain_values_are_allowed(value: object) -> None:
    with pytest.raises(TypeError, match="text"):
        shown(page("{{ text }}", "text=text"), text=value)


def test_each_language_has_its_own() -> None:
    template = page('{% translate "Rules" %}{{ n }}', "n=1")
    texts = []
    for language in ("en-gb", "de", "en-gb"):
        with translation.override(language):
            texts.append(shown(template))
    assert texts == ["Rules1", "Regeln1", "Rules1"]


def test_the_size_is_limited() -> None:
    template = page("{{ n }}", "n=n")
    node: Any
    (node,) = template.nodelist.get_nodes_by_type(KeptNode)
    for n in range(kept.MOST + 5):
        assert shown(template, n=n) == str(n)
        shown(template, n=0)  # recently used fragments stay
    assert len(node._texts) == kept.MOST
    assert 0 in {key[2][1] for key in node._texts}


def test_undeclared_variables_are_refused() -> None:
    with pytest.raises(TemplateSyntaxError, match="name=value"):
        page("", "title")
