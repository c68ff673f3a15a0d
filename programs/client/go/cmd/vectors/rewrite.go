package main

import "muster/client/drivers"

// rewriting is a configuration that gets another node. Texts are bytes, in base64 on the wire.
type rewriting struct {
	Kind        string  `json:"kind"`
	Text        *[]byte `json:"text"`
	Fqdn        string  `json:"fqdn"`
	Certificate string  `json:"certificate"`
}

type rewritten struct {
	Text  []byte `json:"text,omitempty"`
	Fault string `json:"fault,omitempty"`
	// Node is the one that the configuration named before.
	Node []byte `json:"node,omitempty"`
}

func (r rewriting) rewritten() rewritten {
	var before *string
	var made rewritten
	if r.Text != nil {
		text := string(*r.Text)
		before = &text
		made.Node = []byte(drivers.NodeIn(r.Kind, text))
	}
	text, fault := drivers.Rewrite(r.Kind, before, r.Fqdn, r.Certificate)
	made.Text, made.Fault = []byte(text), fault
	return made
}
