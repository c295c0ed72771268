#include "CPage.h"
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t index_html[] = {
#embed "../FlowPage/Files/index.html"
};
static const uint8_t page_css[] = {
#embed "../FlowPage/Files/page.css"
};
static const uint8_t page_js[] = {
#embed "../FlowPage/Files/page.js"
};
static const uint8_t flow_js[] = {
#embed "../FlowPage/Files/flow.js"
};

const flow_file flow_index_html = {index_html, sizeof index_html};
const flow_file flow_page_css = {page_css, sizeof page_css};
const flow_file flow_page_js = {page_js, sizeof page_js};
const flow_file flow_flow_js = {flow_js, sizeof flow_js};
