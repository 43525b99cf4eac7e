"""Template fragment cache in process memory."""

from __future__ import annotations

from collections import OrderedDict
from datetime import date
from threading import Lock
from types import NoneType
from typing import Final

from django import template
from django.template.base import FilterExpression, Node, NodeList, Parser, Token, token_kwargs
from django.template.context import Context
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()

#: Maximum cached renderings of one fragment: enough for a day's deals and some others.
MOST: Final = 32
#: Types allowed as cache keys: plain values that are equal only if they render the same.
PLAIN: Final = frozenset({str, SafeString, int, bool, NoneType, date})

_Key = tuple[object, ...]


class KeptNode(Node):
    """Cached fragment, rendered once per language and set of values. Its content sees nothing but these values."""

    def __init__(self, nodelist: NodeList, values: dict[str, FilterExpression]) -> None:
        self.nodelist = nodelist
        self.values = values
        self._texts: OrderedDict[_Key, SafeString] = OrderedDict()
        self._lock: Final = Lock()

    def render(self, context: Context) -> SafeString:
        """Return the cached text, or render it.

        :raises TypeError: if a value is not plain.
        """
        values = {name: value.resolve(context) for name, value in self.values.items()}
        key = (get_language(), context.autoescape, *((type(value), value) for value in values.values()))
        if strange := [name for name, value in values.items() if type(value) not in PLAIN]:
            raise TypeError(f"only plain values are kept by, not {', '.join(strange)}")
        with self._lock:
            text = self._texts.get(key)
            if text is not None:
                self._texts.move_to_end(key)
                return text
        text = self.nodelist.render(_alone(context, values))
        with self._lock:
            self._texts[key] = text
            if len(self._texts) > MOST:
                self._texts.popitem(last=False)
        return text


@register.tag
def kept(parser: Parser, token: Token) -> KeptNode:
    """Parse `{% kept name=value … %} … {% endkept %}`. The content sees only these names: no request and no player."""
    bits = token.split_contents()[1:]
    values = token_kwargs(bits, parser)
    if bits:
        raise template.TemplateSyntaxError(f"kept takes name=value, not {bits[0]!r}")
    nodelist = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptNode(nodelist, values)


def _alone(context: Context, values: dict[str, object]) -> Context:
    alone = Context(values, autoescape=context.autoescape, use_l10n=context.use_l10n, use_tz=context.use_tz)
    alone.template = context.template
    alone.render_context = context.render_context
    return alone
