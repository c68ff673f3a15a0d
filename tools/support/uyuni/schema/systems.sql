-- The systems of a server, and what belongs to one of them.

CREATE TABLE suseservercontactmethod (
  id numeric PRIMARY KEY,
  label varchar(64) NOT NULL UNIQUE,
  name varchar(128) NOT NULL,
  rank numeric NOT NULL
);

CREATE TABLE rhnserverarch (
  id numeric PRIMARY KEY,
  label varchar(64) NOT NULL UNIQUE,
  name varchar(64) NOT NULL
);

CREATE TABLE rhnserver (
  id numeric PRIMARY KEY,
  org_id numeric NOT NULL REFERENCES web_customer (id) ON DELETE CASCADE,
  digital_server_id varchar(1024) NOT NULL UNIQUE,
  server_arch_id numeric NOT NULL REFERENCES rhnserverarch (id),
  os varchar(64) NOT NULL,
  release varchar(64) NOT NULL,
  name varchar(128),
  description varchar(256),
  info varchar(128),
  secret varchar(64) NOT NULL,
  creator_id numeric REFERENCES web_contact (id) ON DELETE SET NULL,
  auto_update char(1) NOT NULL DEFAULT 'N' CHECK (auto_update IN ('Y', 'N')),
  contact_method_id numeric NOT NULL DEFAULT 0 REFERENCES suseservercontactmethod (id),
  running_kernel varchar(64),
  last_boot numeric NOT NULL DEFAULT 0,
  channels_changed timestamptz,
  machine_id varchar(256) UNIQUE,
  hostname varchar(128),
  payg char(1) NOT NULL DEFAULT 'N',
  maintenance_schedule_id numeric REFERENCES susemaintenanceschedule (id) ON DELETE SET NULL,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE INDEX rhn_server_oid_id_idx ON rhnserver (org_id, id);
CREATE SEQUENCE rhn_server_id_seq START WITH 1000010000;

-- The server keeps its own columns of change by triggers such as this; ours stand beside them.
CREATE FUNCTION rhn_server_mod_trig_fun() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.modified := current_timestamp;
  RETURN new;
END $$;
CREATE TRIGGER rhn_server_mod_trig BEFORE INSERT OR UPDATE ON rhnserver
  FOR EACH ROW EXECUTE FUNCTION rhn_server_mod_trig_fun();

CREATE TABLE rhnserverinfo (
  server_id numeric NOT NULL UNIQUE REFERENCES rhnserver (id),
  checkin timestamptz DEFAULT current_timestamp,
  checkin_counter numeric DEFAULT 0
);

CREATE TABLE suseminioninfo (
  server_id numeric NOT NULL UNIQUE REFERENCES rhnserver (id) ON DELETE CASCADE,
  minion_id varchar(256) NOT NULL UNIQUE,
  os_family varchar(32),
  kernel_live_version varchar(255),
  ssh_push_port numeric,
  reboot_required_after timestamptz,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);

CREATE TABLE rhnserverlocation (
  id numeric PRIMARY KEY,
  server_id numeric NOT NULL UNIQUE REFERENCES rhnserver (id),
  machine varchar(64),
  rack varchar(64),
  room varchar(32),
  building varchar(128),
  address1 varchar(128),
  address2 varchar(128),
  city varchar(128),
  state varchar(60),
  country varchar(2),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE SEQUENCE rhn_server_loc_id_seq;

CREATE TABLE rhnservergrouptype (
  id numeric PRIMARY KEY,
  label varchar(32) NOT NULL UNIQUE,
  name varchar(64) NOT NULL,
  permanent char NOT NULL DEFAULT 'Y',
  is_base char NOT NULL DEFAULT 'Y',
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);

-- A group with a type is an entitlement, as the server has it.
CREATE TABLE rhnservergroup (
  id numeric PRIMARY KEY,
  name varchar(64) NOT NULL,
  description varchar(1024) NOT NULL,
  current_members numeric NOT NULL DEFAULT 0,
  group_type numeric REFERENCES rhnservergrouptype (id),
  org_id numeric NOT NULL REFERENCES web_customer (id) ON DELETE CASCADE,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (org_id, name)
);
CREATE SEQUENCE rhn_server_group_id_seq;

CREATE TABLE rhnservergroupmembers (
  server_id numeric NOT NULL REFERENCES rhnserver (id),
  server_group_id numeric NOT NULL REFERENCES rhnservergroup (id),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (server_id, server_group_id)
);
CREATE INDEX rhn_sgmembers_sgid_idx ON rhnservergroupmembers (server_group_id);

CREATE TABLE rhnserverchannel (
  server_id numeric NOT NULL REFERENCES rhnserver (id),
  channel_id numeric NOT NULL REFERENCES rhnchannel (id),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (server_id, channel_id)
);
CREATE INDEX rhn_sc_cid_idx ON rhnserverchannel (channel_id);

CREATE TABLE rhnserverconfigchannel (
  server_id numeric NOT NULL REFERENCES rhnserver (id),
  config_channel_id numeric NOT NULL REFERENCES rhnconfigchannel (id) ON DELETE CASCADE,
  position numeric,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (server_id, config_channel_id)
);

CREATE TABLE rhnservernotes (
  id numeric PRIMARY KEY,
  creator numeric REFERENCES web_contact (id) ON DELETE SET NULL,
  server_id numeric NOT NULL REFERENCES rhnserver (id),
  subject varchar(80) NOT NULL,
  note varchar(4000),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE INDEX rhn_servernotes_sid_idx ON rhnservernotes (server_id);
CREATE SEQUENCE rhn_server_note_id_seq;

CREATE TABLE rhncustomdatakey (
  id numeric PRIMARY KEY,
  org_id numeric NOT NULL REFERENCES web_customer (id) ON DELETE CASCADE,
  label varchar(64) NOT NULL,
  description varchar(4000) NOT NULL,
  created_by numeric REFERENCES web_contact (id) ON DELETE SET NULL,
  last_modified_by numeric REFERENCES web_contact (id) ON DELETE SET NULL,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (org_id, label)
);
CREATE SEQUENCE rhn_cdatakey_id_seq;

CREATE TABLE rhnservercustomdatavalue (
  server_id numeric NOT NULL REFERENCES rhnserver (id),
  key_id numeric NOT NULL REFERENCES rhncustomdatakey (id),
  value varchar(4000),
  created_by numeric REFERENCES web_contact (id) ON DELETE SET NULL,
  last_modified_by numeric REFERENCES web_contact (id) ON DELETE SET NULL,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (server_id, key_id)
);

CREATE TABLE rhnserverlock (
  server_id numeric NOT NULL UNIQUE REFERENCES rhnserver (id),
  locker_id numeric REFERENCES web_contact (id) ON DELETE SET NULL,
  reason varchar(4000),
  created timestamptz NOT NULL DEFAULT current_timestamp
);

-- A formula of a system or group is a pillar of the category formula-NAME.
CREATE TABLE susesaltpillar (
  id numeric PRIMARY KEY,
  server_id numeric REFERENCES rhnserver (id) ON DELETE CASCADE,
  group_id numeric REFERENCES rhnservergroup (id) ON DELETE CASCADE,
  org_id numeric REFERENCES web_customer (id) ON DELETE CASCADE,
  category varchar NOT NULL,
  pillar jsonb NOT NULL,
  UNIQUE (server_id, category),
  UNIQUE (group_id, category),
  UNIQUE (org_id, category),
  CHECK (num_nonnulls(server_id, group_id, org_id) <= 1)
);
CREATE SEQUENCE suse_salt_pillar_id_seq;
CREATE INDEX suse_salt_pillar_category_idx ON susesaltpillar (category);
