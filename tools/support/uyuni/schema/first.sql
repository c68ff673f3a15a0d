-- What every server has from its first start: types, an organisation, its administrator, and the entitlements as groups.

INSERT INTO rhnpackagename VALUES (1, 'susemanager-schema');
INSERT INTO rhnpackageevr VALUES (1, NULL, '5.2.3', '1.1');
INSERT INTO rhnversioninfo (label, name_id, evr_id) VALUES ('schema', 1, 1);

INSERT INTO rhnusergrouptype (id, label, name) VALUES
  (1, 'org_admin', 'Organization Administrator'), (2, 'satellite_admin', 'SUSE Manager Administrator'),
  (3, 'channel_admin', 'Channel Administrator'), (4, 'config_admin', 'Configuration Administrator'),
  (5, 'system_group_admin', 'System Group Administrator'), (6, 'activation_key_admin', 'Activation Key Administrator'),
  (7, 'image_admin', 'Image Administrator');
INSERT INTO rhnservergrouptype (id, label, name, permanent, is_base) VALUES
  (10, 'salt_entitled', 'Salt', 'Y', 'Y'), (11, 'foreign_entitled', 'Foreign', 'Y', 'Y'),
  (20, 'monitoring_entitled', 'Monitoring', 'N', 'N'), (21, 'container_build_host', 'Container Build Host', 'N', 'N'),
  (22, 'osimage_build_host', 'OS Image Build Host', 'N', 'N'), (23, 'virtualization_host', 'Virtualization Host', 'N', 'N');
INSERT INTO rhnserverarch VALUES (1, 'x86_64-redhat-linux', 'x86_64'), (2, 'aarch64-redhat-linux', 'aarch64'), (3, 'amd64-debian-linux', 'AMD64 Debian');
INSERT INTO rhnchannelarch VALUES (1, 'channel-x86_64', 'x86_64'), (2, 'channel-aarch64', 'AArch64'), (3, 'channel-amd64-deb', 'AMD64 Debian');
INSERT INTO rhnpackagearch (id, label, name) SELECT n, label, label
  FROM unnest(ARRAY['noarch', 'i586', 'i686', 'x86_64', 'aarch64', 'ppc64le', 's390x', 'all-deb', 'amd64-deb', 'arm64-deb'])
  WITH ORDINALITY a(label, n);
INSERT INTO rhnchecksumtype VALUES (1, 'sha1', 'SHA1'), (2, 'sha256', 'SHA256'), (3, 'sha384', 'SHA384'), (4, 'sha512', 'SHA512');
INSERT INTO rhncontentsourcetype VALUES (500, 'yum'), (501, 'uln'), (502, 'deb');
INSERT INTO rhncryptokeytype VALUES (1, 'GPG', 'GPG'), (2, 'SSL', 'SSL');
INSERT INTO rhnconfigfiletype VALUES (1, 'file', 'File'), (2, 'directory', 'Directory'), (3, 'symlink', 'Symlink'), (4, 'sls', 'Sls');
INSERT INTO rhnconfigchanneltype VALUES (1, 'normal', 'Centrally-Managed', 1), (2, 'state', 'State', 2);
INSERT INTO suseservercontactmethod VALUES (0, 'default', 'server.contact-method.default', 0), (1, 'ssh-push', 'server.contact-method.ssh-push', 10),
  (2, 'ssh-push-tunnel', 'server.contact-method.ssh-push-tunnel', 20);
INSERT INTO rhnactionstatus VALUES (0, 'Queued'), (1, 'Picked Up'), (2, 'Completed'), (3, 'Failed');
INSERT INTO rhnactiontype (id, label, name, unlocked_only, maintenance_mode_only) VALUES
  (1, 'packages.refresh_list', 'Package List Refresh', 'N', 'N'), (2, 'hardware.refresh_list', 'Hardware List Refresh', 'N', 'N'),
  (9, 'reboot.reboot', 'System reboot', 'Y', 'Y'), (503, 'states.apply', 'Apply states', 'N', 'N'),
  (6, 'packages.update', 'Package Install', 'Y', 'Y'), (5, 'errata.update', 'Patch Update', 'Y', 'Y'),
  (37, 'script.run', 'Run an arbitrary script', 'Y', 'N'), (506, 'channels.subscribe', 'Subscribe to channels', 'Y', 'Y');
INSERT INTO web_customer (id, name) VALUES (nextval('web_customer_id_seq'), 'Acme');
INSERT INTO rhnusergroup (id, name, description, group_type, org_id)
  SELECT nextval('rhn_user_group_id_seq'), name, name, id, 1 FROM rhnusergrouptype;
INSERT INTO rhnservergroup (id, name, description, group_type, org_id)
  SELECT nextval('rhn_server_group_id_seq'), name, name, id, 1 FROM rhnservergrouptype;
