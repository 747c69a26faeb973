//! Records the objects that the nodes of graphs use.

use std::collections::HashMap;

use crate::layer::state_tracker::tracked_objects::ObjectUse;

#[derive(Clone, Debug, Default)]
pub struct GraphNodeTable {
    /// The uses of objects, by the node's handle. The entry `HIDDEN` has the uses by all nodes with unknown handles.
    uses: HashMap<usize, Vec<ObjectUse>>,
    /// Whether a node, such as that of a host function, may order work in a way that the check does not see.
    has_unseen_order: bool,
}

/// Represents nodes whose handles the layer does not know, such as the nodes of a child graph or of a clone.
pub const HIDDEN: usize = 0;

/// An owner of nodes, by its handle: a graph, or an instance of a graph (an executable graph).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeOwner {
    Graph(usize),
    Instance(usize),
}

/// The graphs and instances whose nodes the layer knows. Any other graph may order work in ways that it does not see.
#[derive(Default)]
pub struct GraphTable {
    all: HashMap<NodeOwner, GraphNodeTable>,
}

impl GraphTable {
    pub fn add_graph(&mut self, graph: usize) {
        self.all.insert(NodeOwner::Graph(graph), GraphNodeTable::default());
    }

    pub fn remove_graph_nodes(&mut self, of: NodeOwner) -> Option<GraphNodeTable> {
        self.all.remove(&of)
    }

    pub fn restore_graph_nodes(&mut self, of: NodeOwner, nodes: Option<GraphNodeTable>) {
        self.all.extend(nodes.map(|nodes| (of, nodes)));
    }

    /// Records that `to` has copies of a graph's nodes. With `keeps_handles`, as in a new instance, the handles of the
    /// graph's nodes also name the copies. Without `keeps_handles`, the copies are [`HIDDEN`] nodes. If the layer does
    /// not know the graph's nodes, forgets `to`.
    pub fn copy_nodes(&mut self, graph: usize, to: NodeOwner, keeps_handles: bool) {
        let Some(mut nodes) = self.all.get(&NodeOwner::Graph(graph)).cloned() else {
            self.all.remove(&to);
            return;
        };
        if !keeps_handles {
            nodes.uses = HashMap::from([(HIDDEN, nodes.uses.into_values().flatten().collect())]);
        }
        self.all.insert(to, nodes);
    }

    pub fn uses_of_graph(&self, of: NodeOwner) -> Vec<ObjectUse> {
        self.all.get(&of).into_iter().flat_map(|nodes| nodes.uses.values().flatten()).copied().collect()
    }

    pub fn mark_order_unseen(&mut self, of: Option<NodeOwner>) {
        match of {
            Some(of) => self.all.entry(of).or_default().has_unseen_order = true,
            None => self.all.values_mut().for_each(|nodes| nodes.has_unseen_order = true),
        }
    }

    pub fn has_unseen_order(&self, of: NodeOwner) -> bool {
        self.all.get(&of).is_none_or(|nodes| nodes.has_unseen_order)
    }

    pub fn add_node_uses(&mut self, graph: usize, node: usize, uses: Vec<ObjectUse>) {
        if let Some(nodes) = self.all.get_mut(&NodeOwner::Graph(graph)) {
            nodes.uses.entry(node).or_default().extend(uses);
        }
    }

    /// Replaces the uses of a node, whose owner is any graph if `owner` is `None`. If no possible owner knows the
    /// node's handle, forgets those that have [`HIDDEN`] nodes.
    pub fn replace_node_uses(&mut self, owner: Option<NodeOwner>, node: usize, uses: Vec<ObjectUse>) {
        let may_have_node =
            |of: &NodeOwner| owner.map_or(matches!(of, NodeOwner::Graph(_)), |owner| *of == owner);
        let mut owners = self.all.iter_mut().filter(|(of, _)| may_have_node(of));
        match owners.find_map(|(_, nodes)| nodes.uses.get_mut(&node)) {
            Some(known) => *known = uses,
            None => self.all.retain(|of, nodes| !may_have_node(of) || !nodes.uses.contains_key(&HIDDEN)),
        }
    }
}

#[test]
fn a_node_that_is_not_known_may_be_any_hidden_one() {
    let uses = |object| vec![ObjectUse::memory_use(object, None)];
    let mut graphs = GraphTable::default();
    for graph in [1, 2] {
        graphs.add_graph(graph);
        graphs.add_node_uses(graph, 10 * graph, uses(graph as u32));
    }
    let instance = NodeOwner::Instance(100);
    graphs.copy_nodes(1, instance, true);
    graphs.replace_node_uses(Some(instance), 10, uses(3));
    assert_eq!([instance, NodeOwner::Graph(1)].map(|of| graphs.uses_of_graph(of)), [uses(3), uses(1)]);
    graphs.copy_nodes(2, instance, false);
    assert_eq!((graphs.uses_of_graph(instance), graphs.has_unseen_order(instance)), (uses(2), false));
    graphs.copy_nodes(1, NodeOwner::Graph(3), false);
    // The instance and graph 3 have only hidden nodes. 10 and 30 may be any of these, so the table forgets both owners.
    graphs.replace_node_uses(Some(instance), 10, uses(4));
    graphs.replace_node_uses(None, 30, uses(4));
    for of in [instance, NodeOwner::Graph(3)] {
        assert_eq!((graphs.uses_of_graph(of), graphs.has_unseen_order(of)), (vec![], true));
    }
    assert_eq!(graphs.uses_of_graph(NodeOwner::Graph(1)), uses(1));
}
