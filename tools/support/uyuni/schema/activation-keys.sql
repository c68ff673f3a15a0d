-- What a system is given that registers with a key.

CREATE TABLE rhnregtoken (
  id numeric PRIMARY KEY,
  org_id numeric NOT NULL REFERENCES web_customer (id) ON DELETE CASCADE,
  user_id numeric REFERENCES web_contact (id) ON DELETE SET NULL,
  server_id numeric REFERENCES rhnserver (id),
  note varchar(2048) NOT NULL,
  usage_limit numeric DEFAULT 0,
  disabled numeric NOT NULL DEFAULT 0,
  deploy_configs char(1) NOT NULL DEFAULT 'Y',
  contact_method_id numeric NOT NULL DEFAULT 0 REFERENCES suseservercontactmethod (id)
);
CREATE SEQUENCE rhn_reg_token_seq;

CREATE TABLE rhnactivationkey (
  token varchar(48) NOT NULL UNIQUE,
  reg_token_id numeric NOT NULL REFERENCES rhnregtoken (id) ON DELETE CASCADE,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  bootstrap char(1) NOT NULL DEFAULT 'N'
);

CREATE TABLE rhnregtokenchannels (
  token_id numeric NOT NULL REFERENCES rhnregtoken (id) ON DELETE CASCADE,
  channel_id numeric NOT NULL REFERENCES rhnchannel (id) ON DELETE CASCADE,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (token_id, channel_id)
);

CREATE TABLE rhnregtokengroups (
  token_id numeric NOT NULL REFERENCES rhnregtoken (id) ON DELETE CASCADE,
  server_group_id numeric NOT NULL REFERENCES rhnservergroup (id) ON DELETE CASCADE,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (token_id, server_group_id)
);

CREATE TABLE rhnregtokenentitlement (
  reg_token_id numeric NOT NULL REFERENCES rhnregtoken (id) ON DELETE CASCADE,
  server_group_type_id numeric NOT NULL REFERENCES rhnservergrouptype (id),
  UNIQUE (reg_token_id, server_group_type_id)
);

CREATE TABLE rhnregtokenconfigchannels (
  token_id numeric NOT NULL REFERENCES rhnregtoken (id) ON DELETE CASCADE,
  config_channel_id numeric NOT NULL REFERENCES rhnconfigchannel (id) ON DELETE CASCADE,
  position numeric NOT NULL,
  UNIQUE (token_id, config_channel_id)
);

-- Which key every system gets that names none.
CREATE TABLE rhnregtokenorgdefault (
  org_id numeric NOT NULL UNIQUE REFERENCES web_customer (id) ON DELETE CASCADE,
  reg_token_id numeric NOT NULL REFERENCES rhnregtoken (id) ON DELETE CASCADE
);

CREATE TABLE rhnregtokenpackages (
  id numeric PRIMARY KEY,
  token_id numeric NOT NULL REFERENCES rhnregtoken (id) ON DELETE CASCADE,
  name_id numeric NOT NULL REFERENCES rhnpackagename (id),
  arch_id numeric REFERENCES rhnpackagearch (id)
);
CREATE UNIQUE INDEX rhn_reg_tok_pkg_uq ON rhnregtokenpackages (token_id, name_id, arch_id) NULLS NOT DISTINCT;
CREATE SEQUENCE rhn_reg_tok_pkg_id_seq;
