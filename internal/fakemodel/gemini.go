package fakemodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// gemini is Google's generateContent, which Gemini CLI uses. The path contains the model and
// whether the answer is a stream.
var gemini = dialect{
	name: "gemini",
	asks: func(path string) (string, bool) {
		_, rest, ok := strings.Cut(path, "/models/")
		model, verb, found := strings.Cut(rest, ":")
		return model, ok && found && (verb == "generateContent" || verb == "streamGenerateContent")
	},
	read:    readContents,
	events:  contentEvents,
	whole:   func(r *request, a *answer) any { return candidate(r, a, contentParts(a), true) },
	refuse:  func(r *Refusal) any { return contentError(r) },
	trouble: func(r *Refusal) event { return event{"", contentError(r)} },
}

func readContents(raw []byte) (*request, error) {
	var b struct {
		Contents []struct {
			Role  string          `json:"role"`
			Parts json.RawMessage `json:"parts"`
		} `json:"contents"`
		Tools []struct {
			Functions []struct {
				Name   string `json:"name"`
				Schema tool   `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		Config struct {
			Schema json.RawMessage `json:"responseJsonSchema"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("no generateContent request: %w", err)
	}
	r := &request{tools: make(map[string]tool), schema: b.Config.Schema, raw: raw}
	for _, t := range b.Tools {
		for _, f := range t.Functions {
			r.tools[f.Name] = f.Schema
		}
	}
	var all []speech
	for _, c := range b.Contents {
		var parts []struct {
			Call json.RawMessage `json:"functionCall"`
		}
		_ = json.Unmarshal(c.Parts, &parts) // parts of another form hold no calls
		calls := 0
		for _, p := range parts {
			if p.Call != nil {
				calls++
			}
		}
		all = append(all, speech{c.Role == "model", calls, text(c.Parts)})
	}
	r.listen(all)
	return r, nil
}

// contentParts are an answer's parts. A call without a signature is sent back by newer models, so
// each has one.
func contentParts(a *answer) []any {
	var all []any
	for _, piece := range pieces(a.text) {
		all = append(all, object{"text": piece})
	}
	for _, u := range a.uses {
		all = append(all, object{
			"functionCall":     object{"id": u.id, "name": u.name, "args": u.args},
			"thoughtSignature": "c2ln",
		})
	}
	return all
}

// candidate is one object of an answer; the last one says how it ended and what it cost.
func candidate(r *request, a *answer, parts []any, last bool) object {
	c := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	o := object{"candidates": []any{c}, "modelVersion": r.model, "responseId": a.id}
	if last {
		c["finishReason"] = "STOP"
		if a.cut {
			c["finishReason"] = "MAX_TOKENS"
		}
		if a.filtered {
			c["finishReason"] = "SAFETY"
		}
		o["usageMetadata"] = object{
			"promptTokenCount": a.usage.In, "candidatesTokenCount": a.usage.Out,
			"cachedContentTokenCount": a.usage.Cached,
			"totalTokenCount":         a.usage.In + a.usage.Out,
		}
	}
	return o
}

func contentEvents(r *request, a *answer) (says, ends []event) {
	for _, part := range contentParts(a) {
		says = append(says, event{"", candidate(r, a, []any{part}, false)})
	}
	return says, []event{{"", candidate(r, a, []any{object{"text": ""}}, true)}}
}

// contentError is an error. The details in the scenario's fields distinguish a daily quota from a
// minute's.
func contentError(r *Refusal) object {
	e := object{
		"code": r.Status, "message": r.Message,
		"status": named(r.Type, r.Status, map[int]string{
			http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusUnauthorized: "UNAUTHENTICATED",
			http.StatusForbidden: "PERMISSION_DENIED",
			http.StatusNotFound:  "NOT_FOUND", http.StatusTooManyRequests: "RESOURCE_EXHAUSTED",
			http.StatusInternalServerError: "INTERNAL",
		}, "UNAVAILABLE"),
	}
	maps.Copy(e, r.Fields)
	return object{"error": e}
}
