-- What was begun by a key is told to those that have taken its place.
create index api_keys_rotated_from on api_keys (rotated_from) where rotated_from is not null;
