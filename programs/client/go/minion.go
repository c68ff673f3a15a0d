package main

import (
	"path/filepath"

	"muster/client/drivers"
	"muster/client/identity"
	"muster/client/machine"
	"muster/client/options"
)

// The files of Salt with a minion's key and its name, unless a driver names others.
const (
	saltKeyFile = "/etc/salt/pki/minion/minion.pem"
	saltIDFile  = "/etc/salt/minion_id"
)

// keyFile gives the file with the minion's key: the one that was named, that of the driven minion, else the usual one.
func keyFile(o options.Options, driven drivers.Driven) string {
	switch {
	case o.MinionKey != "":
		return o.MinionKey
	case driven.Kind != nil && driven.Kind.Minion != nil:
		return filepath.Join(driven.Root.Path, driven.Kind.Minion.Key)
	default:
		return saltKeyFile
	}
}

func idFile(driven drivers.Driven) string {
	if driven.Kind != nil && driven.Kind.Minion != nil {
		return filepath.Join(driven.Root.Path, driven.Kind.Minion.ID)
	}
	return saltIDFile
}

// minionOf gives the minion beside the daemon, read again at each knock. A key file that was named must be there from the
// start.
func minionOf(o options.Options, driven drivers.Driven, fqdn, fp string) (func() *identity.MinionProof, error) {
	file := keyFile(o, driven)
	if o.MinionKey != "" {
		key, err := identity.MinionKeyIn(file)
		if err != nil {
			return nil, err
		}
		if key == nil {
			return nil, identity.Unusable{Why: file + " cannot be read; --minion-key names the minion's private key"}
		}
	}
	prove := func() (*identity.MinionProof, error) {
		key, err := identity.MinionKeyIn(file)
		if err != nil || key == nil {
			return nil, err
		}
		id := o.MinionID
		if id == "" {
			id = machine.OrNothing(idFile(driven))
		}
		if id == "" {
			id = fqdn
		}
		proof, err := key.Prove(id, fp)
		return &proof, err
	}
	return func() *identity.MinionProof {
		proof, err := prove()
		if err != nil {
			say(err.Error() + "; knocking without it")
			return nil
		}
		return proof
	}, nil
}
