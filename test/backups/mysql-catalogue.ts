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
  { name: 'nothing', sql: 'drop table t;' },
];
