package fakemodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// anthropic is the Messages protocol, which Claude Code uses.
var anthropic = dialect{
	name:    "anthropic",
	asks:    func(path string) (string, bool) { return "", strings.HasSuffix(path, "/messages") },
	read:    readMessages,
	events:  messageEvents,
	whole:   messageWhole,
	refuse:  func(r *Refusal) any { return messageError(r) },
	trouble: func(r *Refusal) event { return event{"error", messageError(r)} },
}

func readMessages(raw []byte) (*request, error) {
	var b struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name   string `json:"name"`
			Schema tool   `json:"input_schema"`
		} `json:"tools"`
		Output struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("no Messages request: %w", err)
	}
	r := &request{
		model: b.Model, stream: b.Stream, tools: make(map[string]tool),
		schema: b.Output.Format.Schema, raw: raw,
	}
	for _, t := range b.Tools {
		r.tools[t.Name] = t.Schema
	}
	var all []speech
	for _, m := range b.Messages {
		var parts []struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal(m.Content, &parts) // a content that is a string has no calls
		calls := 0
		for _, p := range parts {
			if p.Type == "tool_use" {
				calls++
			}
		}
		all = append(all, speech{m.Role == "assistant", calls, text(m.Content)})
	}
	r.listen(all)
	return r, nil
}

// message is an answer's frame. Claude Code sums its usage: input from the first event, output from
// the last but one; cached input is listed separately.
func message(r *request, a *answer) object {
	return object{
		"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": r.model,
		"content":     []any{},
		"stop_reason": nil, "stop_sequence": nil,
		"usage": object{
			"input_tokens": a.usage.In - a.usage.Cached, "cache_creation_input_tokens": 0,
			"cache_read_input_tokens": a.usage.Cached, "output_tokens": 1,
		},
	}
}

func stopReason(a *answer) string {
	switch {
	case a.cut:
		return "max_tokens"
	case a.filtered:
		return "refusal"
	case len(a.uses) > 0:
		return "tool_use"
	}
	return "end_turn"
}

// blocks are an answer's parts.
func blocks(a *answer) []object {
	var all []object
	if a.text != "" {
		all = append(all, object{"type": "text", "text": a.text})
	}
	for _, u := range a.uses {
		all = append(all, object{"type": "tool_use", "id": u.id, "name": u.name, "input": u.args})
	}
	return all
}

func messageEvents(r *request, a *answer) (says, ends []event) {
	add := func(kind string, fields object) event {
		fields["type"] = kind
		return event{kind, fields}
	}
	says = append(says, add("message_start", object{"message": message(r, a)}))
	for i, block := range blocks(a) {
		// A block starts empty and is filled by deltas: clients ignore the content of its start.
		start, delta, field, rest := maps.Clone(block), "text_delta", "text", a.text
		if block["type"] == "tool_use" {
			start["input"] = object{}
			raw, _ := json.Marshal(block["input"]) // of our own making
			delta, field, rest = "input_json_delta", "partial_json", string(raw)
		} else {
			start["text"] = ""
		}
		says = append(says, add("content_block_start", object{"index": i, "content_block": start}))
		for _, piece := range pieces(rest) {
			says = append(says,
				add("content_block_delta",
					object{"index": i, "delta": object{"type": delta, field: piece}}))
		}
		says = append(says, add("content_block_stop", object{"index": i}))
	}
	return says, []event{
		add("message_delta", object{
			"delta": object{"stop_reason": stopReason(a), "stop_sequence": nil},
			"usage": object{"output_tokens": a.usage.Out},
		}),
		add("message_stop", object{}),
	}
}

func messageWhole(r *request, a *answer) any {
	m := message(r, a)
	m["content"], m["stop_reason"] = blocks(a), stopReason(a)
	if u, ok := m["usage"].(object); ok {
		u["output_tokens"] = a.usage.Out
	}
	return m
}

// messageError is an error. Claude Code goes by the status and, of a 400, by the message; a
// subscription's limit it knows only by the anthropic-ratelimit-unified headers of the scenario.
func messageError(r *Refusal) object {
	kind := named(r.Type, r.Status, map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 402: "billing_error",
		403: "permission_error",
		404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error",
		529: "overloaded_error",
	}, "api_error")
	e := object{"type": kind, "message": r.Message}
	maps.Copy(e, r.Fields)
	return object{"type": "error", "error": e, "request_id": "req_fake"}
}
