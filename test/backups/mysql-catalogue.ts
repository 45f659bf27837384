interface Content {
  name: string;
  sql: string;
  /** How MySQL wants it; null: it has no such thing. */
  mysql?: string | null;
  isInKills?: true;
}

/** Kinds of content of a database, for tests: made in the database `app`, which has the table `t`. */
export const mysqlCatalogue: readonly Content[] = [
  {
    name: 'views upon views, with the rights of an account that is gone',
    isInKills: true,
    sql: `create view a as select n, x from t; create view b as select n from a where n > 0;
    create definer = gone@nowhere sql security definer view c as select count(*) as many from b;
    create view d as select * from b with cascaded check option;`,
  },
  {
    name: 'triggers in an order, with definers',
    isInKills: true,
    sql: `create trigger one before insert on t for each row set new.x = concat(new.x, '1');
    create definer = gone@nowhere trigger two before insert on t for each
      row follows one set new.x = upper(new.x);
    create trigger three after delete on t for each row do 0;`,
  },
  {
    name: 'routines with rights on them',
    isInKills: true,
    sql: `delimiter //
    create procedure p(in a int) comment 'it''s \\\\ ours' begin select a;

      select 'two lines'; end //
    create definer = gone@nowhere function f(a int) returns
      int deterministic sql security invoker return a + 1 //
    delimiter ;
    grant execute on procedure p to writer@'%'; grant execute, alter routine on function f to staff;
    create view w as select f(n) as g from t;`,
  },
  {
    name: 'events, enabled and not',
    isInKills: true,
    sql: `create event e1 on schedule every 1 year starts '2020-01-01' do delete from t;
    create event e2 on schedule at '2037-01-01' on
      completion preserve disable comment 'ü' do insert into t values (9, 'x');`,
  },
  {
    name: 'foreign keys in a circle and to itself',
    isInKills: true,
    sql: `create table ka (id int primary key, b int, up int, foreign key (up) references ka (id) on
      delete cascade);
    create table kb (id int primary key, a int, constraint \`f k\` foreign key (a) references ka (id) on
      update cascade);
    alter table ka add foreign key (b) references kb (id); insert into ka values (1, null, 1);
      insert into kb values (1, 1);
    update ka set b = 1;`,
  },
  {
    name: 'history of versioned tables',
    isInKills: true,
    mysql: null,
    sql: `create table h (n int primary key) with system versioning; insert into h values (1);
      update h set n = 2;
    create table hp (n int) with system versioning partition by system_time
      (partition old history, partition now current); insert into hp values (1); delete from hp;`,
  },
  {
    name: 'sequences, also as a default',
    mysql: null,
    sql: `create sequence s start with 77 increment by 3; select nextval(s);
    create table u (n bigint default nextval(s), m int); insert into u (m) values (1);`,
  },
  {
    name: 'generated, invisible and compressed columns, and checks',
    mysql: `create table g (a int, b int as (a * 2) stored, c int as (a + 1) virtual,
      d int default 4 invisible,
      e json default (json_array()), constraint positive check (a > 0), key (c), key ((a + c)));
      insert into g (a) values (2);`,
    sql: `create table g (a int, b int as (a * 2) stored, c int as (a + 1) virtual, d int invisible default 4,
      e text compressed, constraint positive check (a > 0), key (c)); insert into g (a, e) values (2,
      repeat('x', 999));`,
  },
  {
    name: 'full text and spatial indexes',
    sql: `create table ft (id int auto_increment primary key, x text, fulltext (x)); insert into ft (x)
      values ('some words');
    create table sp (g point not null, spatial index (g)); insert into sp values (point(1, 2));
    delete from ft; insert into ft (x) values ('again');`,
  },
  {
    name: 'partitions and other engines',
    mysql: `create table pr (d int) partition by range (d) (partition p1 values less than (10),
      partition p2 values
      less than maxvalue); insert into pr values (3), (30); create table my (n int, key (n)) engine=MyISAM;
    insert into my values (2); create table zipped (x text) row_format=compressed comment='it''s';`,
    sql: `create table pr (d int) partition by range (d) (partition p1 values less than (10),
      partition p2 values less than
      maxvalue); insert into pr values (3), (30); create table ar (n int) engine=Aria;
      insert into ar values (1);
    create table my (n int, key (n)) engine=MyISAM; insert into my values (2);`,
  },
  {
    name: 'names with backticks, dollars, spaces, capitals and letters of others',
    isInKills: true,
    sql: `create table \`it's \`\`A\`\` $x ü\` (\`ö p\` text, \`-- c\` int);
      insert into \`it's \`\`A\`\` $x ü\` values ('€ 😀', 1);
    create table \`-dash\` (n int); create table Cased (n int); create table cased (n int);
    create view \`v \`\`$ ü\` as select \`ö p\` from \`it's \`\`A\`\` $x ü\`;
      create procedure \`p \`\`r\`() select 1;
    create trigger \`t \`\`r\` before insert on \`-dash\` for each row do 0;`,
  },
  {
    name: 'character sets and orders',
    sql: `create table l (x varchar(20) character set latin1, y varchar(9) collate utf8mb4_bin, z blob,
      j json) character set koi8r;
    insert into l values ('é', 'ß', x'00ff0a5c27', '{"a": 1}'); alter database app character set latin2;
    create procedure q() select 'ü';`,
  },
  {
    name: 'rows of 12 MB and numbers that go on',
    sql: `create table big (id int auto_increment primary key, x longblob) auto_increment = 1000;
    insert into big (x) values (repeat('ab', 6000000)); insert into big (x) values ('c');
      delete from big where id = 1001;`,
  },
  {
    name: 'a package and a procedure in the mode of Oracle',
    mysql: null,
    sql: `set sql_mode = oracle;
    delimiter //
    create package pk as function one() return int; end; //
    create package body pk as function one() return int as begin return 1; end; end; //
    delimiter ;
    set sql_mode = default;`,
  },
  {
    name: 'zero dates, enums, sets and bits',
    sql: `set sql_mode = '';
    create table z (d date not null default '0000-00-00', dt datetime(6) default current_timestamp(6)
      on update current_timestamp(6), ts timestamp not null default
      '2026-01-01 00:00:01', e enum('a', 'it''s', 'ü'),
      s set('x', 'y z'), b bit(9), y year); insert into z (d, e, s, b, y, dt)
      values ('0000-00-00', 'it''s', 'x', b'100000001', 2026, '2026-02-28 10:00:00'),
      ('2026-00-00', 'ü', '', b'0', 1901, null);
    set sql_mode = default;`,
  },
  {
    name: 'numbers at their ends, and bytes of every value',
    sql: `create table n (u bigint unsigned, d decimal(65, 30), f float, g double, v varbinary(300),
      x char(3));
    insert into n values (18446744073709551615,
      -99999999999999999999999999999999999.999999999999999999999999999999,
      1e-38, -1.7976931348623157e308, x'000a0d1a225c27255f', ' a'), (0, 0, 0, 0, '', '');`,
  },
  {
    name: 'rows that are alike in a table without a key, and indexes of parts',
    sql: `create table k (a int, b text, c varchar(50), key (b(10)), key (a desc, c(5)), unique (c));
    insert into k values (1, 'x', null), (1, 'x', null); insert into k select 2, repeat('y', 3000), 'z';`,
  },
  {
    name: 'partitions by list, key and hash, with parts of their own',
    sql: `create table pl (a int, b varchar(9)) partition by list (a) (partition p0 values in (1, 2),
      partition p1 values in (3, null)); insert into pl values (1, 'a'), (null, 'b');
    create table pk2 (a int primary key) partition by key () partitions 3;
      insert into pk2 values (1), (2), (3);
    create table ps (a int, d date) partition by range (year(d)) subpartition by hash (a) subpartitions 2
      (partition s0 values less than (2026), partition s1 values less than maxvalue);
    insert into ps values (1, '2025-01-01'), (2, '2027-01-01');`,
  },
  {
    name: 'comments and defaults with quotes, lines and backslashes',
    sql: `create table c (a varchar(40) not null default 'it''s \\\\ "x"' comment 'one
two', b int default (1 + 2), \`from\` int, \`#\` int) comment 'a \\\\ ''b''
-- c';
    insert into c (\`from\`, \`#\`) values (1, 2);`,
  },
  {
    name: 'rights on tables and columns',
    sql: `grant select (n), update (x) on app.t to staff; grant insert, trigger on app.t to reader@'%'
      with grant option; create view rv as select n from t; grant select, show view on app.rv to reader@'%';`,
  },
  {
    name: 'functions that read tables, and triggers that call them',
    sql: `delimiter //
    create function biggest() returns int reads sql data begin declare m int default 0;
      select max(n) into m from t; return coalesce(m, 0); end //
    create procedure fill_up(inout k int) modifies sql data begin
      declare continue handler for not found set k = -1; set k = k + biggest(); end //
    create trigger asks before update on t for each row begin
      set new.x = concat(biggest(), '-', new.x); end //
    delimiter ;
    create view uses as select biggest() as b union all select n from t;`,
  },
  {
    name: 'periods, addresses and ids of their own types',
    mysql: null,
    sql: `create table pe (room int, f date, u date, period for stay (f, u),
      unique (room, stay without overlaps));
    insert into pe values (1, '2026-01-01', '2026-01-05'); create table ty (i inet6, u uuid default uuid());
    insert into ty (i) values ('::1');`,
  },
  {
    name: 'documents with indexes over their parts, and a histogram',
    sql: `create table js (id int primary key, d json, check (json_valid(d)));
    insert into js values (1, '{"tags": ["a", "b"], "n": 1.50, "s": "ü"}');`,
    mysql: `create table js (id int primary key, d json, key tags ((cast(d->'$.tags' as char(20) array))));
    insert into js values (1, '{"tags": ["a", "b"], "n": 1.50, "s": "ü"}');
    analyze table js update histogram on id with 4 buckets; create table geo (p point not null srid 4326,
      spatial index (p)); insert into geo values (st_srid(point(1, 2), 4326));`,
  },
  {
    name: 'many tables',
    sql: `delimiter //
    create procedure many() begin declare i int default 0; while i < 150 do set i = i + 1;
      set @s = concat('create table m', i, ' (id int auto_increment primary key, x text)'); prepare q from @s;
      execute q; set @s = concat('insert into m', i, ' (x) values (', i, ')'); prepare q from @s; execute q;
      end while; end //
    delimiter ;
    call many();`,
  },
  { name: 'nothing', sql: 'drop table t;' },
];
