"""Functions and files whose names a page must show as the text that they are.

</script><img src=x onerror="alert('source')"><!-- is in this file's text, too.
"""

NAMES = [
    "</script><img src=x onerror=alert(1)>",
    "<!--<script>",
    "<b>bold</b>",
    '"onmouseover="alert(2)" x="',
    "'; alert(3); '",
    "javascript:alert(4)",
    "${alert(5)}`",
    "=HYPERLINK(1)",
    "__proto__",
    "constructor",
    "\u202egnp.exe",
    "\x00\x1b[31m\n\ttab",
    "x" * 500,
    "\u2028\u2029",
    "]]>",
    "&lt;i&gt;&amp;",
]


def plain():
    pass


def leaf():
    pass


for number, name in enumerate(NAMES):
    code = (
        leaf.__code__.replace(
            co_name=name, co_qualname=name, co_filename=f"/tmp/{name[:40]}/{number}.py"
        )
        if hasattr(leaf.__code__, "co_qualname")
        else leaf.__code__.replace(co_name=name)
    )
    type(leaf)(code, {})()
    plain()
exec(
    compile(
        "def f(): pass\nf()",
        "</script><svg onload=alert(6)>",
        "exec",
    )
)
