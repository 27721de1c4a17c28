#include <copse.h>
#include <stdio.h>

int main(void) {
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = 3;
  copse_points *agents;
  if (copse_agenttree_create(&def, &agents) != COPSE_OK) return 1;

  float *positions = copse_points_positions(agents).axes[0];
  const float corners[] = {0, 0, 1, 0, 5, 5};
  for (int i = 0; i < 6; i++) positions[i] = corners[i];
  copse_points_set_slots(agents, 3);
  copse_points_build(agents, NULL);

  const float center[] = {0, 0};
  uint32_t ids[3];
  copse_results near = {ids, NULL, 3, 0, 0};
  copse_points_within(agents, center, 2, NULL, &near);
  for (uint32_t i = 0; i < near.total; i++) printf("agent %u is near\n", ids[i]);
  copse_points_destroy(agents);
  return 0;
}
