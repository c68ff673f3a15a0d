-- Who there is. Tables and columns have the names and types of the public schema of Uyuni; what no one here reads is left out.

CREATE TABLE web_customer (
  id numeric PRIMARY KEY,
  name varchar(128) NOT NULL UNIQUE,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE SEQUENCE web_customer_id_seq;

CREATE TABLE web_contact (
  id numeric PRIMARY KEY,
  org_id numeric NOT NULL REFERENCES web_customer (id),
  login varchar(64) NOT NULL,
  login_uc varchar(64) NOT NULL UNIQUE,
  password varchar(110) NOT NULL,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  ignore_flag char(1) NOT NULL DEFAULT 'N' CHECK (ignore_flag IN ('N', 'Y')),
  read_only char(1) NOT NULL DEFAULT 'N' CHECK (read_only IN ('N', 'Y'))
);
CREATE INDEX web_contact_oid_id ON web_contact (org_id, id);
CREATE SEQUENCE web_contact_id_seq;

-- Who was disabled and enabled again: the last of the entries of a login counts.
CREATE TABLE rhnwebcontactchangestate (
  id numeric PRIMARY KEY,
  label varchar(32) NOT NULL UNIQUE
);
INSERT INTO rhnwebcontactchangestate (id, label) VALUES (1, 'enabled'), (2, 'disabled');
CREATE TABLE rhnwebcontactchangelog (
  id numeric PRIMARY KEY,
  web_contact_id numeric NOT NULL REFERENCES web_contact (id) ON DELETE CASCADE,
  web_contact_from_id numeric REFERENCES web_contact (id) ON DELETE SET NULL,
  change_state_id numeric NOT NULL REFERENCES rhnwebcontactchangestate (id),
  date_completed timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE SEQUENCE rhn_wcon_disabled_seq;
CREATE VIEW rhnwebcontactdisabled AS
  SELECT c.id, c.org_id, c.login, c.login_uc, c.password, c.created, c.modified, c.ignore_flag
  FROM web_contact c JOIN LATERAL (
    SELECT l.change_state_id FROM rhnwebcontactchangelog l WHERE l.web_contact_id = c.id ORDER BY l.date_completed DESC, l.id DESC LIMIT 1
  ) newest ON true JOIN rhnwebcontactchangestate s ON s.id = newest.change_state_id
  WHERE s.label = 'disabled';

CREATE TABLE web_user_personal_info (
  web_user_id numeric NOT NULL REFERENCES web_contact (id) ON DELETE CASCADE,
  prefix varchar(12) NOT NULL DEFAULT ' ',
  first_names varchar(128) NOT NULL,
  last_name varchar(128) NOT NULL,
  email varchar(128),
  email_uc varchar(128),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE INDEX wupi_user_id_idx ON web_user_personal_info (web_user_id);

CREATE TABLE rhnuserinfo (
  user_id numeric NOT NULL UNIQUE REFERENCES web_contact (id) ON DELETE CASCADE,
  email_notify numeric NOT NULL DEFAULT 1,
  use_pam_authentication char(1) NOT NULL DEFAULT 'N',
  last_logged_in timestamptz,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);

CREATE TABLE rhnusergrouptype (
  id numeric PRIMARY KEY,
  label varchar(64) NOT NULL UNIQUE,
  name varchar(64) NOT NULL,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);

CREATE TABLE rhnusergroup (
  id numeric PRIMARY KEY,
  name varchar(64) NOT NULL,
  description varchar(1024) NOT NULL,
  max_members numeric,
  current_members numeric NOT NULL DEFAULT 0,
  group_type numeric NOT NULL REFERENCES rhnusergrouptype (id),
  org_id numeric NOT NULL REFERENCES web_customer (id) ON DELETE CASCADE,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (org_id, name),
  UNIQUE (org_id, group_type)
);
CREATE SEQUENCE rhn_user_group_id_seq;

CREATE TABLE rhnusergroupmembers (
  user_id numeric NOT NULL REFERENCES web_contact (id) ON DELETE CASCADE,
  user_group_id numeric NOT NULL REFERENCES rhnusergroup (id),
  temporary char(1) NOT NULL DEFAULT 'N' CHECK (temporary IN ('Y', 'N')),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (user_id, user_group_id, temporary)
);

CREATE TABLE pxtsessions (
  id numeric PRIMARY KEY,
  web_user_id numeric REFERENCES web_contact (id) ON DELETE CASCADE,
  expires numeric NOT NULL DEFAULT 0,
  value varchar(4000) NOT NULL
);
CREATE INDEX pxtsessions_user ON pxtsessions (web_user_id);
CREATE INDEX pxtsessions_expires ON pxtsessions (expires);
CREATE SEQUENCE pxt_id_seq;
