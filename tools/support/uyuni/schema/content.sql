-- What a server has for its systems: channels, errata, configuration, activation keys, projects, images, schedules.

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

CREATE TABLE rhnconfigchanneltype (
  id numeric PRIMARY KEY,
  label varchar(64) NOT NULL UNIQUE,
  name varchar(64) NOT NULL,
  priority numeric NOT NULL
);

CREATE TABLE rhnconfigchannel (
  id numeric PRIMARY KEY,
  org_id numeric NOT NULL REFERENCES web_customer (id),
  confchan_type_id numeric NOT NULL REFERENCES rhnconfigchanneltype (id),
  name varchar(128) NOT NULL,
  label varchar(64) NOT NULL,
  description varchar(1024) NOT NULL,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (org_id, label, confchan_type_id)
);
CREATE SEQUENCE rhn_confchan_id_seq;

CREATE TABLE rhnconfigfilename (
  id numeric PRIMARY KEY,
  path varchar(1024) NOT NULL UNIQUE
);
CREATE SEQUENCE rhn_cfname_id_seq;

CREATE TABLE rhnconfigcontent (
  id numeric PRIMARY KEY,
  contents bytea,
  file_size numeric,
  is_binary char(1) NOT NULL DEFAULT 'N' CHECK (is_binary IN ('Y', 'N')),
  delim_start varchar(16) NOT NULL DEFAULT '{|',
  delim_end varchar(16) NOT NULL DEFAULT '|}',
  created timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE SEQUENCE rhn_confcontent_id_seq;

CREATE TABLE rhnconfigfiletype (
  id numeric PRIMARY KEY,
  label varchar(32) NOT NULL UNIQUE,
  name varchar(128) NOT NULL
);

CREATE TABLE rhnconfiginfo (
  id numeric PRIMARY KEY,
  username varchar(32),
  groupname varchar(32),
  filemode numeric,
  selinux_ctx varchar(64),
  symlink_target_filename_id numeric REFERENCES rhnconfigfilename (id),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE SEQUENCE rhn_confinfo_id_seq;

CREATE TABLE rhnconfigfile (
  id numeric PRIMARY KEY,
  config_channel_id numeric NOT NULL REFERENCES rhnconfigchannel (id) ON DELETE CASCADE,
  config_file_name_id numeric NOT NULL REFERENCES rhnconfigfilename (id),
  latest_config_revision_id numeric,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (config_channel_id, config_file_name_id)
);
CREATE SEQUENCE rhn_conffile_id_seq;

CREATE TABLE rhnconfigrevision (
  id numeric PRIMARY KEY,
  revision numeric NOT NULL,
  config_file_id numeric NOT NULL REFERENCES rhnconfigfile (id) ON DELETE CASCADE,
  config_content_id numeric REFERENCES rhnconfigcontent (id),
  config_info_id numeric REFERENCES rhnconfiginfo (id),
  config_file_type_id numeric NOT NULL DEFAULT 1 REFERENCES rhnconfigfiletype (id),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  changed_by_id numeric REFERENCES web_contact (id),
  UNIQUE (config_file_id, revision)
);
CREATE SEQUENCE rhn_confrevision_id_seq;

CREATE TABLE susemaintenancecalendar (
  id numeric PRIMARY KEY,
  org_id numeric NOT NULL REFERENCES web_customer (id) ON DELETE CASCADE,
  label varchar(128) NOT NULL,
  url varchar(1024),
  ical text NOT NULL,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (org_id, label)
);
CREATE SEQUENCE suse_mtcal_id_seq;

CREATE TABLE susemaintenanceschedule (
  id numeric PRIMARY KEY,
  org_id numeric NOT NULL REFERENCES web_customer (id) ON DELETE CASCADE,
  name varchar(128) NOT NULL,
  sched_type varchar(10) NOT NULL,
  ical_id numeric REFERENCES susemaintenancecalendar (id) ON DELETE SET NULL,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (org_id, name)
);
CREATE SEQUENCE suse_mtsched_id_seq;

CREATE TABLE susecontentproject (
  id numeric PRIMARY KEY,
  name varchar(128) NOT NULL,
  org_id numeric NOT NULL REFERENCES web_customer (id) ON DELETE CASCADE,
  label varchar(24) NOT NULL UNIQUE,
  description text,
  UNIQUE (org_id, name)
);
CREATE SEQUENCE suse_ct_project_seq;

CREATE TABLE susecontentfilter (
  id numeric PRIMARY KEY,
  org_id numeric NOT NULL REFERENCES web_customer (id) ON DELETE CASCADE,
  type varchar(16) NOT NULL,
  rule varchar(16) NOT NULL,
  name varchar(128) NOT NULL,
  matcher varchar(32) NOT NULL,
  field varchar(32) NOT NULL,
  value varchar(128) NOT NULL,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (org_id, name)
);
CREATE SEQUENCE suse_ct_filter_seq;

CREATE TABLE susecontentprojectsource (
  id numeric PRIMARY KEY,
  project_id numeric NOT NULL REFERENCES susecontentproject (id) ON DELETE CASCADE,
  type varchar(16) NOT NULL,
  state varchar(16) NOT NULL,
  channel_id numeric REFERENCES rhnchannel (id) ON DELETE CASCADE,
  position numeric NOT NULL,
  UNIQUE (project_id, channel_id)
);
CREATE SEQUENCE suse_ct_prj_src_seq;

CREATE TABLE susecontentfilterproject (
  id numeric PRIMARY KEY,
  filter_id numeric NOT NULL REFERENCES susecontentfilter (id),
  project_id numeric NOT NULL REFERENCES susecontentproject (id) ON DELETE CASCADE,
  state varchar(16) NOT NULL,
  UNIQUE (filter_id, project_id)
);
CREATE SEQUENCE suse_ct_f_p_seq;

CREATE TABLE susecontentenvironment (
  id numeric PRIMARY KEY,
  project_id numeric REFERENCES susecontentproject (id) ON DELETE CASCADE,
  label varchar(16) NOT NULL,
  name varchar(128) NOT NULL,
  description text,
  version numeric,
  next_env_id numeric UNIQUE REFERENCES susecontentenvironment (id),
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (project_id, label),
  UNIQUE (project_id, name)
);
CREATE SEQUENCE suse_ct_env_seq;

CREATE TABLE suseimageprofile (
  profile_id numeric PRIMARY KEY,
  label varchar(128) NOT NULL,
  org_id numeric NOT NULL REFERENCES web_customer (id) ON DELETE CASCADE,
  image_type varchar(32) NOT NULL,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp,
  UNIQUE (org_id, label)
);
CREATE SEQUENCE suse_imgprof_prid_seq;

CREATE TABLE suseimageinfo (
  id numeric PRIMARY KEY,
  name varchar(128) NOT NULL,
  version varchar(128),
  image_type varchar(32) NOT NULL,
  curr_revision_num numeric,
  org_id numeric NOT NULL REFERENCES web_customer (id) ON DELETE CASCADE,
  profile_id numeric REFERENCES suseimageprofile (profile_id) ON DELETE SET NULL,
  created timestamptz NOT NULL DEFAULT current_timestamp,
  modified timestamptz NOT NULL DEFAULT current_timestamp
);
CREATE SEQUENCE suse_imginfo_imgid_seq;
