package term

import (
	"encoding/json"
	"strings"
	"testing"

	"autobuild/render"
	"autobuild/render/rendertest"
)

func checkup() []render.Finding {
	return []render.Finding{
		{Topic: "git", Level: render.Fine, What: "git 2.39.5, repository ."},
		{Topic: "git", Level: render.Fatal, What: "the repository has no commit yet", Fix: "git commit --allow-empty -m 'first commit'"},
		{Topic: "agent claude", Level: render.Caution, What: "claude 3.0.0 is newer than 2.1.329, with which it was tried; what it prints may have changed"},
		{Topic: "agent claude", Level: render.Aside, What: "hostile \x1b[31mtext\x1b[0m\r\n::error::here"},
	}
}

// Findings stand below their topics, commands stay in one piece, and foreign text is inert.
func TestDoctor(t *testing.T) {
	for name, s := range map[string]render.Style{
		"doctor-40": {Width: 40}, "doctor-80": {}, "doctor-120": {Width: 120}, "doctor-ascii": {ASCII: true},
	} {
		got := Doctor(checkup(), s)
		rendertest.Golden(t, name, got)
		if !strings.Contains(got, "git commit --allow-empty -m 'first commit'\n") || strings.ContainsRune(got, 0x1b) {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestDoctorJSON(t *testing.T) {
	raw, err := render.DoctorJSON(checkup())
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Usable   bool
		Findings []render.Finding
	}
	if err = json.Unmarshal(raw, &got); err != nil || got.Usable || len(got.Findings) != 4 {
		t.Errorf("%v: %s", err, raw)
	}
}
