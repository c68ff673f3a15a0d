// Command vectors drives package decide through histories, one in a line of JSON on standard input, and prints for each
// the state and the actions after every step; a line may also be a configuration that gets another node. "npm run
// check:client" compares all with those of the model.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"muster/client/decide"
)

// history is what happened to one daemon; or, with a rewriting, a configuration that gets another node.
type history struct {
	Rewriting *rewriting `json:"rewriting"`

	Record decide.Record `json:"record"`
	Now    decide.Moment `json:"now"`
	Found  string        `json:"found"`
	Looks  bool          `json:"looks"`
	Steps  []step        `json:"steps"`
}

type step struct {
	Now   decide.Moment `json:"now"`
	Input given         `json:"input"`
}

type stepped struct {
	State   map[string]any   `json:"state"`
	Record  decide.Record    `json:"record"`
	Actions []map[string]any `json:"actions"`
}

func main() {
	if err := play(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(70)
	}
}

func play(in io.Reader, out io.Writer) error {
	reader := json.NewDecoder(bufio.NewReaderSize(in, 1<<20))
	writer := bufio.NewWriterSize(out, 1<<20)
	encoder := json.NewEncoder(writer)
	for {
		var one history
		if err := reader.Decode(&one); err == io.EOF {
			return writer.Flush()
		} else if err != nil {
			return err
		}
		answer, err := answered(one)
		if err != nil {
			return err
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
		if err := writer.Flush(); err != nil {
			return err
		}
	}
}

func answered(one history) (any, error) {
	if one.Rewriting != nil {
		return one.Rewriting.rewritten(), nil
	}
	return played(one)
}

func played(one history) ([]stepped, error) {
	state := decide.First(one.Record, one.Now, one.Found, one.Looks)
	steps := []stepped{{stateView(state), decide.RecordOf(state), []map[string]any{}}}
	for _, step := range one.Steps {
		input, err := step.Input.input()
		if err != nil {
			return nil, err
		}
		var actions []decide.Action
		state, actions = decide.Decide(state, input, step.Now)
		views := make([]map[string]any, 0, len(actions))
		for _, action := range actions {
			views = append(views, actionView(action))
		}
		steps = append(steps, stepped{stateView(state), decide.RecordOf(state), views})
	}
	return steps, nil
}
