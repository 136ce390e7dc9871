-- What accounts hear is not read behind what concerns everybody, of which few get their numbers in a second, nor that behind this.
create index event_outbox_of_all on event_outbox (id) where accounts[1] like 'kind:%';
create index event_outbox_of_some on event_outbox (id) where accounts[1] not like 'kind:%';
