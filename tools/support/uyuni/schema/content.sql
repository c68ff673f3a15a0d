-- What else a server has for its systems: configuration, schedules, projects, images.

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
  config_file_type_id numeric NOT NULL REFERENCES rhnconfigfiletype (id),
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
