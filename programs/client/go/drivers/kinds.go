package drivers

// Kind is software that reports to a node from a client system, and the files that tie it to that node. Paths begin at
// the root, without a leading slash.
type Kind struct {
	Name string
	// config is the file that names the node.
	config string
	// caches are files that remember the previous node and would make the next one be refused.
	caches []string
	// units gives the units on this machine, in the order in which they are started; none when it is not installed.
	units   func(Root) []string
	rewrite func(text *string, fqdn string) rewritten
	// nodeIn gives the node that a configuration names.
	nodeIn func(text string) string
	// required gives the further file that a configuration needs, or nothing.
	required func(text string) string
	// Minion names the minion's files, if it is one.
	Minion *MinionFiles
}

// MinionFiles are a minion's key, its public half, which Salt writes last, and the file that has its name.
type MinionFiles struct{ Key, PublicKey, ID string }

// The folders of units, in the order in which systemd searches them (systemd.unit(5)).
var unitFolders = []string{"etc/systemd/system", "usr/local/lib/systemd/system", "usr/lib/systemd/system", "lib/systemd/system"}

func (r Root) hasUnit(unit string) bool {
	for _, folder := range unitFolders {
		if r.has(folder + "/" + unit) {
			return true
		}
	}
	return false
}

func salt(name, folder string) Kind {
	return Kind{
		Name:   name,
		config: folder + "/minion.d/susemanager.conf",
		// A minion that finds another master's key there ends itself: "the master key has changed".
		caches: []string{folder + "/pki/minion/minion_master.pub"},
		units: func(root Root) []string {
			if unit := name + ".service"; root.hasUnit(unit) {
				return []string{unit}
			}
			return nil
		},
		rewrite:  withMaster,
		nodeIn:   masterIn,
		required: func(string) string { return "" },
		Minion:   &MinionFiles{folder + "/pki/minion/minion.pem", folder + "/pki/minion/minion.pub", folder + "/minion_id"},
	}
}

// traditional is the traditional client: rhnsd polls the server, and the server notifies osad. The file of a
// certificate, if given, replaces the one that it trusts.
func traditional(file string) Kind {
	return Kind{
		Name:     "traditional",
		config:   "etc/sysconfig/rhn/up2date",
		units:    traditionalUnits,
		rewrite:  func(text *string, fqdn string) rewritten { return withServer(text, fqdn, file) },
		nodeIn:   serverIn,
		required: certificateIn,
	}
}

func traditionalUnits(root Root) []string {
	var units []string
	for _, unit := range []string{"rhnsd.timer", "rhnsd.service"} {
		if root.hasUnit(unit) {
			units = append(units, unit)
			break
		}
	}
	// osad is often installed but disabled: a unit that is not enabled is not ours to start.
	if root.hasUnit("osad.service") && root.has("etc/systemd/system/multi-user.target.wants/osad.service") {
		units = append(units, "osad.service")
	}
	return units
}

func kinds(certificate string) []Kind {
	return []Kind{salt("salt-minion", "etc/salt"), salt("venv-salt-minion", "etc/venv-salt-minion"), traditional(certificate)}
}
