package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"

	"bridle/internal/kernel/canon"
)

// The codes of JSON-RPC.
const (
	codeParse         = -32700
	codeInvalid       = -32600
	codeUnknownMethod = -32601
	codeBadParams     = -32602
	codeNoResource    = -32002
)

// message is what a host sends. Its id is kept as it was written.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

type reply struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

type refusal struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   failure         `json:"error"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (s *server) answer(id json.RawMessage, result any) error {
	return s.send(reply{JSONRPC: "2.0", ID: id, Result: result})
}

func (s *server) refuse(id json.RawMessage, code int, why string) error {
	if id == nil {
		id = json.RawMessage("null")
	}
	return s.send(refusal{JSONRPC: "2.0", ID: id, Error: failure{code, why}})
}

// receive handles one message. The error says that the output is gone.
func (s *server) receive(ctx context.Context, l line) error {
	text := bytes.TrimSpace(l.text)
	switch {
	case l.tooLong:
		return s.refuse(nil, codeInvalid, "the message is too long")
	case len(text) == 0:
		return nil
	}
	var m message
	if _, err := canon.DecodeOpen(text, &m, canon.Limits{MaxBytes: mostBytes}); err != nil {
		if canon.Check(text, canon.Limits{MaxBytes: mostBytes}) != nil {
			return s.refuse(nil, codeParse, "the message is no JSON: "+err.Error())
		}
		return s.refuse(nil, codeInvalid, "the message is no request: "+err.Error())
	}
	if m.ID != nil && !isID(m.ID) {
		return s.refuse(nil, codeInvalid, "the id is neither a text nor a number")
	}
	switch {
	case m.JSONRPC != "2.0":
		return s.refuse(m.ID, codeInvalid, "jsonrpc is not 2.0")
	case m.Method == "" && (m.Result != nil || m.Error != nil):
		return nil // an answer, though nothing was asked
	case m.Method == "":
		return s.refuse(m.ID, codeInvalid, "the message names no method")
	case m.ID == nil:
		s.notice(m)
		return nil
	}
	return s.request(ctx, m)
}

// isID reports whether an id is one of the two kinds that there are.
func isID(id json.RawMessage) bool {
	return id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9'
}

// notice handles a message that wants no answer.
func (s *server) notice(m message) {
	if m.Method != "notifications/cancelled" {
		return
	}
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if _, err := canon.DecodeOpen(m.Params, &params, canon.Limits{}); err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[string(params.RequestID)]; cancel != nil {
		cancel()
	}
}

// versions are the versions of the protocol, the one to offer first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

type object = map[string]any

func (s *server) request(ctx context.Context, m message) error {
	switch m.Method {
	case "initialize":
		return s.initialize(m)
	case "ping":
		return s.answer(m.ID, object{})
	case "tools/list":
		return s.answer(m.ID, object{"tools": s.tools()})
	case "tools/call":
		return s.call(ctx, m)
	case "resources/list":
		return s.answer(m.ID, object{"resources": s.opts.Resources(ctx)})
	case "resources/templates/list":
		return s.answer(m.ID, object{"resourceTemplates": []any{object{
			"uriTemplate": "hcp://skill/{pack_id}", "name": "skill", "description": "The Skill of a pack", "mimeType": "text/markdown",
		}}})
	case "resources/read":
		return s.readResource(ctx, m)
	default:
		return s.refuse(m.ID, codeUnknownMethod, "there is no method "+m.Method)
	}
}

// initialize agrees on the host's version where it is one of ours, and names
// our own otherwise: whether that will do is the host's to decide.
func (s *server) initialize(m message) error {
	var params struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if _, err := canon.DecodeOpen(m.Params, &params, canon.Limits{}); err != nil {
		return s.refuse(m.ID, codeBadParams, "initialize names no protocolVersion")
	}
	version := versions[0]
	for _, known := range versions {
		if known == params.ProtocolVersion {
			version = known
		}
	}
	return s.answer(m.ID, object{
		"protocolVersion": version,
		"capabilities":    object{"tools": object{}, "resources": object{}},
		"serverInfo":      object{"name": s.opts.Name, "version": s.opts.Version},
		"instructions":    s.opts.Instructions,
	})
}

func (s *server) readResource(ctx context.Context, m message) error {
	var params struct {
		URI string `json:"uri"`
	}
	if _, err := canon.DecodeOpen(m.Params, &params, canon.Limits{}); err != nil || params.URI == "" {
		return s.refuse(m.ID, codeBadParams, "resources/read names no uri")
	}
	text, ok := s.opts.Read(ctx, params.URI)
	if !ok {
		return s.refuse(m.ID, codeNoResource, "there is nothing at "+params.URI)
	}
	mime := "text/markdown"
	for _, r := range s.opts.Resources(ctx) {
		if r.URI == params.URI {
			mime = r.MIMEType
		}
	}
	return s.answer(m.ID, object{"contents": []any{object{"uri": params.URI, "mimeType": mime, "text": text}}})
}
