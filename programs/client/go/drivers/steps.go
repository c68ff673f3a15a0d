package drivers

// step is one step of a run on a machine: "stop" or "start" a unit, "write" or "remove" a file. The content is what is
// written, for the node.
type step struct {
	do      string
	unit    string
	file    string
	node    string
	content fileFound
}

// unitState is a unit and the state in which it was found.
type unitState struct{ unit, state string }

// found is a machine as it was found: its units in their order, and the files that tie it to a node.
type found struct {
	units  []unitState
	config *fileFound
	// caches are those of the kind that exist.
	caches []string
}

// runs tells whether a unit runs, or is about to.
func (u unitState) runs() bool { return u.state == active || u.state == activating }

// stepsToStart gives the steps that bring a machine up for a node; none when it already works for that node. The units
// are stopped first, so that nothing reports to one node by the key of another. A new configuration is ours (uid, gid),
// and readable by all, as packages ship theirs. The fault is the reason why it is impossible.
func stepsToStart(kind Kind, on found, fqdn string, uid, gid int) (steps []step, fault string) {
	content := fileFound{mode: 0o644, uid: uid, gid: gid}
	var before *string
	if on.config != nil {
		content = *on.config
		before = &on.config.text
	}
	anew := kind.rewrite(before, fqdn)
	if anew.fault != "" {
		return nil, anew.fault
	}
	isNamed := before != nil && anew.text == *before
	if isNamed && allRun(on.units) {
		return nil, ""
	}
	steps = stepsToStop(on.units)
	if !isNamed {
		content.text = anew.text
		steps = append(steps, step{do: "write", file: kind.config, node: fqdn, content: content})
	}
	for _, file := range on.caches {
		steps = append(steps, step{do: "remove", file: file})
	}
	for _, one := range on.units {
		steps = append(steps, step{do: "start", unit: one.unit})
	}
	return steps, ""
}

func allRun(units []unitState) bool {
	for _, one := range units {
		if !one.runs() {
			return false
		}
	}
	return true
}

// stepsToStop gives the steps that stop a machine, the unit started last first; none when nothing runs. A unit that is
// stopping is awaited.
func stepsToStop(units []unitState) []step {
	var steps []step
	for n := len(units) - 1; n >= 0; n-- {
		if units[n].runs() || units[n].state == deactivating {
			steps = append(steps, step{do: "stop", unit: units[n].unit})
		}
	}
	return steps
}

// inWords gives a step in words: "write etc/salt/minion.d/susemanager.conf for node1.acme.test".
func (s step) inWords() string {
	switch s.do {
	case "write":
		return "write " + s.file + " for " + s.node
	case "remove":
		return "remove " + s.file
	default:
		return s.do + " " + s.unit
	}
}
