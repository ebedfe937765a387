package plan

import "testing"

func TestShortNames(t *testing.T) {
	for _, c := range [][4]string{
		{"Backend", "Frontend", "B", "F"},
		{"Backend", "Billing", "BA", "BI"},
		{"The server side", "Client", "TSS", "C"},
		{"Wave 1", "Wave 2: Screens", "1.", "2."},
		{"Server", "Server", "", ""},
		{"后端", "前端", "", ""},
		{"", "Client", "", ""},
	} {
		if x, y := ShortNames(c[0], c[1]); x != c[2] || y != c[3] {
			t.Errorf("ShortNames(%q, %q) = %q, %q", c[0], c[1], x, y)
		}
	}
}
