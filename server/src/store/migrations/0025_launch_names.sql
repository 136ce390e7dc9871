-- Searches for launched tokens by the beginning of their symbol or name.
create index launches_symbol on launches (lower(symbol) text_pattern_ops);
create index launches_name on launches (lower(name) text_pattern_ops);
