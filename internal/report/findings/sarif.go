package findings

import (
	"fmt"
	"io"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/internal/report"
)

// The parts of SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format") that findings need.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string         `json:"id"`
		ShortDescription sarifText      `json:"shortDescription"`
		Default          sarifConfig    `json:"defaultConfiguration"`
		Properties       map[string]any `json:"properties"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID     string          `json:"ruleId"`
		Level      string          `json:"level"`
		Message    sarifText       `json:"message"`
		Locations  []sarifLocation `json:"locations"`
		Properties map[string]any  `json:"properties"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)

// WriteSARIF writes the findings as a log of SARIF 2.1.0, of a version of the program. Where they are is the trace's file, the location, and the number
// of the event.
func (r *Report) WriteSARIF(w io.Writer, version string) error {
	driver := sarifDriver{Name: "pando check", Version: version, Rules: []sarifRule{}}
	for c := range check.Codes() {
		driver.Rules = append(driver.Rules, sarifRule{
			ID: c.String(), ShortDescription: sarifText{c.What()}, Default: sarifConfig{c.Severity().String()}, Properties: map[string]any{"rule": c.Rule().String()},
		})
	}
	for _, u := range r.rules {
		driver.Rules = append(driver.Rules, sarifRule{
			ID: u.Code(), ShortDescription: sarifText{whatOf(u)}, Default: sarifConfig{u.Severity.String()}, Properties: map[string]any{"rule": UserRule},
		})
	}
	results := []sarifResult{}
	for i := range r.Findings {
		results = append(results, r.sarif(&r.Findings[i]))
	}
	return report.WriteJSON(w, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{{sarifTool{driver}, results}},
	})
}

// sarif turns a finding into a result.
func (r *Report) sarif(f *Finding) sarifResult {
	at := sarifLocation{Physical: sarifPhysical{sarifArtifact{r.Trace}}}
	more := map[string]any{"stack": f.Stack, "values": f.Values}
	text := f.Message
	if f.TimeNs != nil {
		more["time_ns"] = *f.TimeNs
	}
	if f.Location != nil {
		name := *f.Location
		if f.Event != nil {
			more["event"] = *f.Event
			name = fmt.Sprintf("%s, event %d", name, *f.Event)
		}
		at.Logical = []sarifLogical{{name, "event"}}
		text = *f.Location + ": " + text
	}
	return sarifResult{RuleID: f.Code, Level: f.Severity, Message: sarifText{text}, Locations: []sarifLocation{at}, Properties: more}
}
