/** Databases of PostgreSQL, one for each feature that a dump or its restore could lose. */

/** What stands in the database `app` of each row; the roles `role` and `other` are there. */
export const postgresCatalogue: readonly { name: string; sql: string }[] = [
  {
    name: 'a policy for a role',
    sql: `alter table t enable row level security;
    create policy p on t for select to role using (true)`,
  },
  {
    name: 'a user mapping',
    sql: `create extension postgres_fdw; create server s foreign data wrapper postgres_fdw;
    create user mapping for role server s options (user 'u', password 'p')`,
  },
  {
    name: "another role's table and schema",
    sql: `create schema theirs authorization role;
    create table theirs.x (n int); alter table theirs.x owner to role; grant select on theirs.x to other`,
  },
  {
    name: "a revoked function with its definer's rights",
    sql: `create function wipe() returns text language sql
    security definer as 'select current_user::text'; alter function wipe() owner to role;
    revoke execute on function wipe() from public; grant execute on function wipe() to other`,
  },
  {
    name: 'default privileges',
    sql: `alter default privileges for role role in schema public
    grant select on tables to other`,
  },
  {
    name: 'settings of the database and of a role in it',
    sql: `alter database app set work_mem to '8MB';
    alter database app set search_path to "$user", public, app; alter role role in database app set
      work_mem to '9MB'`,
  },
  {
    name: 'rights on the database',
    sql: `revoke connect on database app from public;
    grant connect, temporary on database app to role with grant option; comment on database app is
      'it''s ours'`,
  },
  {
    name: 'a limit of connections and another owner',
    sql: `alter database app connection limit 7;
    alter database app owner to role`,
  },
  { name: 'a publication', sql: 'create publication pub for all tables' },
  {
    name: 'circular and deferred foreign keys',
    sql: `create table a (id int primary key, b int);
    create table b (id int primary key, a int references a deferrable initially deferred);
    alter table a add foreign key (b) references b; insert into a values (1, null); insert into b values
      (1, 1);
    update a set b = 1`,
  },
  {
    name: 'partitions and a materialized view',
    sql: `create table p (d int) partition by range (d);
    create table p1 partition of p for values from (0) to (9); insert into p values (3);
    create materialized view m as select count(*) from p`,
  },
  {
    name: 'domains, enums, identity and generated columns',
    sql: `create domain d as int check (value > 0);
    create type e as enum ('x', 'y'); create table g (id int generated always as identity, d d, e e,
      twice int generated always as (d * 2) stored); insert into g (d, e) values (2, 'y')`,
  },
  {
    name: 'an ICU collation and an exclusion',
    sql: `create collation de (provider = icu, locale = 'de');
    create extension btree_gist; create table r (n text collate de, i int4range, exclude using gist (i
      with &&));
    insert into r values ('ä', '[1,2]')`,
  },
  {
    name: 'an event trigger, a rule and statistics',
    sql: `create function et() returns event_trigger language plpgsql
      as 'begin end'; create event trigger et on ddl_command_end execute function et();
    create rule r as on delete to t do instead nothing; create statistics st on n, x from t`,
  },
  { name: 'large objects', sql: `select lo_from_bytea(0, decode(repeat('ab', 300000), 'hex'))` },
  {
    name: 'names with quotes, spaces and capitals',
    sql: `create table "it's ""A"" ü" ("ö p" text);
    insert into "it's ""A"" ü" values ('€ 😀')`,
  },
  {
    name: 'a trigger and a sequence',
    sql: `create sequence s start 77; select nextval('s');
    create function tr() returns trigger language plpgsql as 'begin return new; end';
    create trigger tr before insert on t for each row execute function tr()`,
  },
  { name: 'nothing', sql: 'drop table t' },
  {
    name: 'text search of its own',
    sql: `create text search dictionary d (template = simple, stopwords = english);
    create text search configuration c (copy = english);
    alter text search configuration c alter mapping for asciiword with d;
    create table doc (b text, v tsvector generated always as (to_tsvector('public.c', b)) stored);
    insert into doc (b) values ('the quick fox'); create index on doc using gin (v)`,
  },
  {
    name: 'operators and casts of its own',
    sql: `create type pt as (x int, y int);
    create function pt_eq(pt, pt) returns boolean language sql immutable as 'select ($1).x = ($2).x';
    create operator === (leftarg = pt, rightarg = pt, function = pt_eq, commutator = ===);
    create function pt_text(pt) returns text language sql immutable as 'select ($1).x::text';
    create cast (pt as text) with function pt_text(pt) as assignment;
    create table pts (p pt); insert into pts values (row(1, 2))`,
  },
  {
    name: 'an aggregate and a window over it',
    sql: `create function plus(int, int) returns int language sql immutable as 'select $1 + $2';
    create aggregate total(int) (sfunc = plus, stype = int, initcond = '0');
    create view w as select n, total(n) over (order by n) from t`,
  },
  {
    name: 'partitions by hash and list, with a default and indexes',
    sql: `create table h (id int primary key, k text) partition by hash (id);
    create table h0 partition of h for values with (modulus 2, remainder 0);
    create table h1 partition of h for values with (modulus 2, remainder 1);
    create table l (k text, n int) partition by list (k); create table la partition of l for values in ('a');
    create table lz partition of l default; create index on l (n);
    insert into h select i, i::text from generate_series(1, 50) i; insert into l values ('a', 1), ('q', 2)`,
  },
  {
    name: 'inheritance and typed tables',
    sql: `create table base (id int, at date default '2026-01-01');
    create table child (x text) inherits (base);
    create type row_type as (id int, name text); create table typed of row_type (primary key (id));
    insert into child values (1, '2026-02-02', 'c'); insert into typed values (1, 'one')`,
  },
  {
    name: 'functions that name tables without a schema',
    sql: `create function least_n() returns int language sql as 'select min(n) from t';
    create table uses (n int default least_n(), check (n >= 0)); insert into uses default values;
    create view v as select least_n()`,
  },
  {
    name: 'extensions in a schema that is not searched',
    sql: `create schema ext; create extension hstore schema ext; create extension citext schema ext;
    create table ext.things (h ext.hstore, c ext.citext unique); insert into ext.things values ('a=>1', 'Ab');
    create function ext.low(ext.citext) returns text language sql immutable as 'select lower($1::text)';
    create index on ext.things (ext.low(c))`,
  },
  {
    name: 'extensions with indexes of theirs',
    sql: `create extension pg_trgm; create extension "uuid-ossp"; create extension ltree;
    create table tr (n text, p ltree, u uuid default uuid_generate_v4()); create index on tr using gist (p);
    create index on tr using gin (n gin_trgm_ops); insert into tr (n, p) values ('word', 'a.b.c')`,
  },
  {
    name: 'unlogged tables, storage and statistics of columns',
    sql: `create unlogged table u (x text); insert into u values ('fast');
    alter table t alter x set storage external, alter n set statistics 500, set (fillfactor = 70,
      autovacuum_enabled = false); alter table t replica identity full`,
  },
  {
    name: 'triggers of every kind, switched off and on',
    sql: `create function f() returns trigger language plpgsql as 'begin return null; end';
    create view v as select * from t;
    create trigger i instead of insert on v for each row execute function f();
    create constraint trigger c after insert on t deferrable initially deferred for each row
      execute function f(); create trigger tt after update on t referencing old table as o new table as w
      for each statement execute function f(); alter table t disable trigger tt;
    alter table t enable always trigger c`,
  },
  {
    name: 'views that need each other, with checks and barriers',
    sql: `create view v1 as select * from t where n > 0 with local check option;
    create view v2 with (security_barrier, security_invoker) as select * from v1;
    create recursive view r (n) as values (1) union all select n + 1 from r where n < 3;
    create table keyed (id int primary key, x text); create view g as select id, x from keyed group by id`,
  },
  {
    name: 'ranges of its own, bits, addresses and documents',
    sql: `create type fr as range (subtype = float8, subtype_diff = float8mi);
    create table ra (r fr, m int4multirange, b bit(5), v varbit, i inet, x xml, j jsonb);
    insert into ra values ('[1.5,2.5)', '{[1,3),[5,9)}', '10101', '1', '::1/64', '<a/>', '{"a": [1, null]}')`,
  },
  {
    name: 'numbers, times and bytes at their ends',
    sql: `create table ends (f float8, r real, n numeric, d date, s timestamptz, i interval, m money,
      b bytea);
    insert into ends values ('NaN', 'Infinity', 'NaN', 'infinity', '-infinity', '-178000000 years', 1,
      '\\x00ff'),
      (1e-300, 0.1, 1e-20, '4713-01-01 BC', '294276-12-31', '1 mon -1 day', -1, '')`,
  },
  {
    name: 'long lines and characters of every kind',
    sql: `insert into t select 2, repeat('x', 20000000);
    insert into t values (3, E'tab\\t back\\\\ nl\\n cr\\r \\x01 \\\\. \\u2028'), (4, null), (5, '')`,
  },
  {
    name: 'rights of columns, and grants of grants',
    sql: `grant select (n), update (x) on t to role with grant option;
    grant select (n) on t to other granted by current_user; revoke all on schema public from public;
    grant usage on schema public to other; create table own (x int); alter table own owner to other;
    grant all on own to role`,
  },
  {
    name: 'default rights in schemas, and for everybody',
    sql: `create schema s authorization role; alter default privileges for role role in schema s
      grant execute on functions to other; alter default privileges for role role revoke execute on functions
      from public; alter default privileges grant usage on types to role`,
  },
  {
    name: 'publications of rows and schemas',
    sql: `create publication p1 for table t where (n > 0);
    create publication p2 for tables in schema public with (publish = 'insert')`,
  },
  {
    name: 'foreign tables',
    sql: `create extension file_fdw; create server files foreign data wrapper file_fdw;
    create foreign table hosts (line text) server files options (filename '/etc/hostname');
    comment on foreign table hosts is 'a file'`,
  },
  {
    name: 'constraints that are not valid yet, and nulls that are not distinct',
    sql: `alter table t add constraint "no 1" check (n < 1) not valid;
    create table parent (id int primary key); alter table t add foreign key (n) references parent not valid;
    create unique index nn on t (n) nulls not distinct;
    alter table t add constraint "Uq" unique using index nn`,
  },
  {
    name: 'procedures, variadic and polymorphic functions',
    sql: `create procedure pr(inout a int) language plpgsql as 'begin a := a + 1; end';
    create function va(variadic a anyarray) returns anyelement language sql as 'select a[1]';
    create function tb(n int default 3, out a int, out b text) returns setof record language sql
      as 'select n, null::text'; create function body(n int) returns int language sql return n + 1`,
  },
  {
    name: 'a conversion and an access method of its own',
    sql: `create access method heap2 type table handler heap_tableam_handler;
    create table am (n int) using heap2; insert into am values (1);
    create conversion conv for 'UTF8' to 'LATIN1' from utf8_to_iso8859_1`,
  },
  {
    name: 'three hundred tables with comments',
    sql: `create procedure many() language plpgsql as 'begin for i in 1..300 loop
        execute format(''create table m%s (id serial primary key, x text)'', i);
        execute format(''comment on table m%s is %L'', i, ''it''''s '' || i);
        execute format(''comment on column m%s.x is %L'', i, E''a\\nb''); end loop; end';
    call many(); comment on schema public is 'ours'`,
  },
];
