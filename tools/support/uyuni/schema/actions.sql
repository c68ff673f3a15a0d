-- What systems are to do and have done.

CREATE TABLE rhnactiontype (
  id numeric PRIMARY KEY,
  label varchar(48) NOT NULL UNIQUE,
  name varchar(100) NOT NULL UNIQUE,
  trigger_snapshot char(1) NOT NULL DEFAULT 'N',
  unlocked_only char(1) NOT NULL DEFAULT 'N',
  maintenance_mode_only char(1) NOT NULL DEFAULT 'N'
);

CREATE TABLE rhnactionstatus (
  id numeric PRIMARY KEY,
  name varchar(16) NOT NULL UNIQUE
);

CREATE TABLE rhnaction (
  id numeric PRIMARY KEY,
  org_id numeric NOT NULL REFERENCES web_customer (id) ON DELETE CASCADE,
  action_type numeric NOT NULL REFERENCES rhnactiontype (id),
  name varchar(128),
  scheduler numeric REFERENCES web_contact (id) ON DELETE SET NULL,
  earliest_action timestamptz NOT NULL,
  version numeric NOT NULL DEFAULT 0,
  archived numeric NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
  prerequisite numeric REFERENCES rhnaction (id) ON DELETE CASCADE,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE INDEX rhn_action_oid_idx ON rhnaction (org_id);
CREATE SEQUENCE rhn_event_id_seq;

CREATE TABLE rhnserveraction (
  server_id numeric NOT NULL REFERENCES rhnserver (id),
  action_id numeric NOT NULL REFERENCES rhnaction (id) ON DELETE CASCADE,
  status numeric NOT NULL REFERENCES rhnactionstatus (id),
  result_code numeric,
  result_msg varchar(1024),
  pickup_time timestamptz,
  remaining_tries numeric NOT NULL DEFAULT 5,
  completion_time timestamptz,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (server_id, action_id)
);
CREATE INDEX rhn_ser_act_aid_idx ON rhnserveraction (action_id);

-- What happened to a system without an action: it was registered, its channels were changed by hand.
CREATE TABLE rhnserverhistory (
  id numeric PRIMARY KEY,
  server_id numeric NOT NULL REFERENCES rhnserver (id),
  summary varchar(256) NOT NULL,
  details varchar(4000),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE INDEX rhn_server_hist_server_id_idx ON rhnserverhistory (server_id);

CREATE TABLE rhnpackageevr (id numeric PRIMARY KEY, epoch varchar(16), version varchar(512) NOT NULL, release varchar(512) NOT NULL);

-- Which version of the schema this is.
CREATE TABLE rhnversioninfo (
  label varchar(64) NOT NULL,
  name_id numeric NOT NULL REFERENCES rhnpackagename (id),
  evr_id numeric NOT NULL REFERENCES rhnpackageevr (id),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);
