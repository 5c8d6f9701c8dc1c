"""The kernel: everything that operations run on, without any business rule.

Read `operations/declaration.py` (what an operation is), then `pipeline/run.py` (what happens to every call), then
`call.py` (what a handler gets). Other packages: `data` (units of work, statements, tenant filter), `background`
(jobs, events, periodic tasks), `http` (response cache, conditional requests, rate limits), `i18n` (languages) and
`values` (ids, money, pages). The kernel imports no context and no interface. Contexts implement the protocols in
`ports.py`.
"""
