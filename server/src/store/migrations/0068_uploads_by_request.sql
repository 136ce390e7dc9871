-- Whether the names of a launch's uploads have the id of its request in them: not where a copy from before this has crafted it.
alter table launches add column uploads_by_request boolean not null default false;
