-- Software channels: repositories, packages, errata, and the keys of GPG and SSL.

CREATE TABLE rhnchannelarch (
  id numeric PRIMARY KEY,
  label varchar(64) NOT NULL UNIQUE,
  name varchar(64) NOT NULL
);

CREATE TABLE rhnchecksumtype (
  id numeric PRIMARY KEY,
  label varchar(32) NOT NULL UNIQUE,
  description varchar(64) NOT NULL
);

CREATE TABLE rhnchannel (
  id numeric PRIMARY KEY,
  parent_channel numeric REFERENCES rhnchannel (id),
  org_id numeric REFERENCES web_customer (id),
  channel_arch_id numeric NOT NULL REFERENCES rhnchannelarch (id),
  label varchar(128) NOT NULL UNIQUE,
  basedir varchar(256) NOT NULL,
  name varchar(256) NOT NULL UNIQUE,
  summary varchar(500) NOT NULL,
  description varchar(4000),
  gpg_check char(1) NOT NULL DEFAULT 'Y',
  gpg_key_url varchar(256),
  gpg_key_id varchar(14),
  gpg_key_fp varchar(50),
  end_of_life timestamptz,
  last_modified timestamptz NOT NULL DEFAULT current_timestamp,
  last_synced timestamptz,
  channel_access varchar(10) DEFAULT 'private',
  maint_name varchar(128),
  maint_email varchar(128),
  maint_phone varchar(128),
  support_policy varchar(256),
  update_tag varchar(128),
  checksum_type_id numeric REFERENCES rhnchecksumtype (id),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE INDEX rhn_channel_org_idx ON rhnchannel (org_id, id);
CREATE INDEX rhn_channel_parent_id_idx ON rhnchannel (parent_channel, id);
CREATE SEQUENCE rhn_channel_id_seq START WITH 101;

CREATE TABLE rhncontentsourcetype (
  id numeric PRIMARY KEY,
  label varchar(64) NOT NULL UNIQUE
);

CREATE TABLE rhncontentsource (
  id numeric PRIMARY KEY,
  org_id numeric REFERENCES web_customer (id) ON DELETE CASCADE,
  type_id numeric NOT NULL REFERENCES rhncontentsourcetype (id),
  source_url varchar(2048) NOT NULL,
  label varchar(128) NOT NULL,
  metadata_signed char(1) NOT NULL DEFAULT 'Y' CHECK (metadata_signed IN ('Y', 'N')),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (label, org_id)
);
CREATE SEQUENCE rhn_chan_content_src_id_seq;

CREATE TABLE rhnchannelcontentsource (
  source_id numeric NOT NULL REFERENCES rhncontentsource (id) ON DELETE CASCADE,
  channel_id numeric NOT NULL REFERENCES rhnchannel (id) ON DELETE CASCADE,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (source_id, channel_id)
);

CREATE TABLE rhncryptokeytype (
  id numeric PRIMARY KEY,
  label varchar(64) NOT NULL UNIQUE,
  description varchar(256)
);

CREATE TABLE rhncryptokey (
  id numeric PRIMARY KEY,
  org_id numeric REFERENCES web_customer (id) ON DELETE CASCADE,
  description varchar(1024) NOT NULL,
  crypto_key_type_id numeric NOT NULL REFERENCES rhncryptokeytype (id),
  key bytea,
  UNIQUE (org_id, description)
);
CREATE SEQUENCE rhn_cryptokey_id_seq;

CREATE TABLE rhncontentsourcessl (
  id numeric PRIMARY KEY,
  content_source_id numeric NOT NULL REFERENCES rhncontentsource (id) ON DELETE CASCADE,
  ssl_ca_cert_id numeric NOT NULL REFERENCES rhncryptokey (id),
  ssl_client_cert_id numeric REFERENCES rhncryptokey (id),
  ssl_client_key_id numeric REFERENCES rhncryptokey (id)
);
CREATE SEQUENCE rhn_contentsourcessl_seq;

CREATE TABLE rhnpackagename (id numeric PRIMARY KEY, name varchar(256) NOT NULL UNIQUE);
CREATE SEQUENCE rhn_pkg_name_seq START WITH 100;

CREATE TABLE rhnpackagearch (
  id numeric PRIMARY KEY,
  label varchar(64) NOT NULL UNIQUE,
  name varchar(64) NOT NULL
);

CREATE TABLE rhnpackage (
  id numeric PRIMARY KEY,
  org_id numeric REFERENCES web_customer (id),
  path varchar(1000),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE SEQUENCE rhn_package_id_seq;

CREATE TABLE rhnchannelpackage (
  channel_id numeric NOT NULL REFERENCES rhnchannel (id) ON DELETE CASCADE,
  package_id numeric NOT NULL REFERENCES rhnpackage (id),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (channel_id, package_id)
);
CREATE INDEX rhn_cp_pid_idx ON rhnchannelpackage (package_id);

CREATE TABLE rhnerrata (
  id numeric PRIMARY KEY,
  advisory varchar(100) NOT NULL UNIQUE,
  advisory_type varchar(32) NOT NULL
    CHECK (advisory_type IN ('Bug Fix Advisory', 'Product Enhancement Advisory', 'Security Advisory')),
  advisory_status varchar(32) NOT NULL DEFAULT 'final',
  advisory_name varchar(100) NOT NULL UNIQUE,
  advisory_rel numeric NOT NULL,
  product varchar(64) NOT NULL,
  description varchar(4000),
  synopsis varchar(4000) NOT NULL,
  topic varchar(4000),
  solution varchar(4000) NOT NULL,
  issue_date timestamptz NOT NULL DEFAULT current_timestamp,
  update_date timestamptz NOT NULL DEFAULT current_timestamp,
  refers_to varchar(4000),
  notes varchar(4000),
  org_id numeric REFERENCES web_customer (id) ON DELETE CASCADE,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  last_modified timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE SEQUENCE rhn_errata_id_seq;

CREATE TABLE rhnchannelerrata (
  channel_id numeric NOT NULL REFERENCES rhnchannel (id) ON DELETE CASCADE,
  errata_id numeric NOT NULL REFERENCES rhnerrata (id) ON DELETE CASCADE,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (channel_id, errata_id)
);
