// Package driverkit is for authors of Hound drivers in Go. A driver says what
// each operation reads, and what files each write leaves behind; the kit speaks
// the protocol.
//
//	func main() {
//		driver := driverkit.Driver{Operations: map[string]driverkit.Operation{
//			"notes.read":  {Read: read},
//			"notes.write": {Write: write},
//		}}
//		if err := driver.Serve(".", os.Stdin, os.Stdout); err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			os.Exit(1)
//		}
//	}
//
// Invariants:
//
//   - A write is one function from a request and the repository to the files that
//     shall be there. It is called for the plan and again for the execution, and
//     must return the same for the same: no clock, no chance, no order of a map.
//   - A plan names every byte: effects with hashes and modes, and the bytes
//     themselves as artifacts, so that a reviewer sees a diff.
//   - An execution writes only what the accepted plan says. When the function
//     returns something else by then, nothing is written.
package driverkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"bridle/hound"
	"bridle/internal/kernel/canon"
)

// Driver answers requests.
type Driver struct {
	// Check returns the data of a handshake; nil stands for an empty object.
	Check func() (any, error)
	// Operations are those of the manifest, by name.
	Operations map[string]Operation
}

// Operation is one operation: a read or a write.
type Operation struct {
	// Schema names the form of the data, if it has a name.
	Schema string
	// Read returns the data of a read.
	Read func(r Request) (any, error)
	// Write returns the files that a write leaves behind.
	Write func(r Request) ([]File, error)
}

// Request is what an operation is asked.
type Request struct {
	hound.Request
	// Repository is the owner's repository, to read from.
	Repository fs.FS
}

// Decode reads the input into v, a pointer; a member that v lacks is an error.
func (r Request) Decode(v any) error {
	return canon.Decode(r.Input, v, canon.Limits{})
}

// AsOfText is the date to work from, "" when there is none.
func (r Request) AsOfText() string {
	if r.AsOf == nil {
		return ""
	}
	return *r.AsOf
}

// File is a file as a write leaves it.
type File struct {
	// Path is relative to the repository's root, with slashes.
	Path string
	// Mode is its permission bits; 0 stands for 0644.
	Mode fs.FileMode
	Body []byte
	// Remove takes the file away; Mode and Body then say nothing.
	Remove bool
}

// held is an error that waits for somebody.
type held struct{ error }

// Held returns an error that makes the outcome held instead of failed.
func Held(format string, args ...any) error { return held{fmt.Errorf(format, args...)} }

// maxRequest bounds a request.
const maxRequest = 64 << 20

// Serve reads one request from in and writes one response to out. The folder is
// the root of the repository, which is a driver's working directory. A refusal is
// a response like any other; an error says that nobody could be answered.
func (d Driver) Serve(folder string, in io.Reader, out io.Writer) error {
	data, err := io.ReadAll(io.LimitReader(in, maxRequest+1))
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	answer := d.answer(folder, data)
	answer.SchemaVersion, answer.OK = hound.SchemaResponse, answer.Outcome.OK()
	text, err := canon.Encode(answer)
	if err != nil {
		return fmt.Errorf("write the response: %w", err)
	}
	_, err = out.Write(append(text, '\n'))
	return err
}

func (d Driver) answer(folder string, data []byte) hound.Response {
	var request Request
	if err := canon.Decode(data, &request.Request, canon.Limits{MaxBytes: maxRequest, MaxDepth: 256}); err != nil {
		return refuse(fmt.Errorf("the request is no %s: %w", hound.SchemaRequest, err))
	}
	if request.SchemaVersion != hound.SchemaRequest {
		return refuse(fmt.Errorf("the request is %q, not %q", request.SchemaVersion, hound.SchemaRequest))
	}
	request.Repository = os.DirFS(folder)
	if request.Mode == hound.ModeCheck {
		return d.check()
	}
	operation, there := d.Operations[request.Operation]
	switch {
	case !there:
		return refuse(fmt.Errorf("the operation %q is unknown", request.Operation))
	case request.Mode == hound.ModeRead && operation.Read != nil:
		result, err := operation.Read(request)
		return respond(hound.OutcomeCompleted, operation.Schema, result, err)
	case request.Mode == hound.ModePlan && operation.Write != nil:
		return operation.plan(request)
	case request.Mode == hound.ModeExecute && operation.Write != nil:
		return operation.execute(folder, request)
	default:
		return refuse(fmt.Errorf("the operation %q has no mode %q", request.Operation, request.Mode))
	}
}

func (d Driver) check() hound.Response {
	if d.Check == nil {
		return respond(hound.OutcomeCompleted, "", struct{}{}, nil)
	}
	result, err := d.Check()
	return respond(hound.OutcomeCompleted, "", result, err)
}

// respond makes a response with data, or of an error.
func respond(outcome hound.Outcome, schema string, data any, err error) hound.Response {
	if err != nil {
		return refuse(err)
	}
	raw, err := canon.Encode(data)
	if err != nil {
		return refuse(err)
	}
	return hound.Response{Outcome: outcome, DataSchema: schema, Data: raw}
}

// refuse makes a response of an error.
func refuse(err error) hound.Response {
	outcome := hound.OutcomeFailed
	if errors.As(err, &held{}) {
		outcome = hound.OutcomeHeld
	}
	raw, encoding := canon.Encode(map[string]string{"message": err.Error()})
	if encoding != nil {
		raw = json.RawMessage(`{"message":"the error is no valid text"}`)
	}
	return hound.Response{Outcome: outcome, Diagnostics: []json.RawMessage{raw}}
}
